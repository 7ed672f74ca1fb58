internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySandbox

extension SandboxStorefront {
    /// The checkout opens signed in if `hasKey` and ``CartViewer/mayAuthenticateCheckout`` are true and the cart's customer access token
    /// is valid.
    func checkoutURL(of cart: Cart, hasKey: Bool, _ viewer: CartViewer) -> String {
        var fields: [(name: String, value: String)] = []
        if hasKey { fields.append(("key", cart.checkoutKey)) }
        let isTokenValid = cart.identity.accessToken.map { customer(forToken: $0) != nil } ?? false
        if hasKey, isTokenValid, viewer.mayAuthenticateCheckout {
            fields.append(("_sandbox_identity", "customer"))
            fields.append(("_sandbox_issued", String(viewer.now.epochSeconds)))
        }
        // Shopify encodes the consent in `_cs` in an undocumented way. The sandbox writes the names that the visitor allowed or denied.
        if let consent = viewer.consent {
            let choices = consent.members.compactMap { member in
                member.value.bool.map { "\(member.name)-\($0 ? "yes" : "no")" }
            }
            fields.append(("_cs", choices.joined(separator: ".")))
        }
        return FormText.append(fields, to: "\(origin)/cart/c/\(cart.token)")
    }

    /// Serves the web checkout of a cart; the button "Pay" posts to the same URL, which turns the cart into an order.
    func checkout(_ request: SandboxRequest) -> SandboxResponse {
        let token = request.path.split(separator: "/").last.map(String.init) ?? ""
        guard let cart = cart(token: token) else {
            return CheckoutPages.cartMissing(returnURL: configuration.returnURL)
        }
        // A URL that has expired or has no key opens a guest checkout.
        let hasKey = request.queryValue("key") == cart.checkoutKey
        let issued = request.queryValue("_sandbox_issued").flatMap(Int.init) ?? 0
        let isFresh = issued >= now.epochSeconds - configuration.checkoutURLLifetime.wholeSeconds
        let isSignedIn = hasKey && request.queryValue("_sandbox_identity") == "customer" && isFresh
        let buyer = isSignedIn ? cart.identity.accessToken.flatMap(customer(forToken:)) : nil
        var order = CheckoutPages.Order(
            buyer: buyer?.account.email,
            prefilled: hasKey ? prefilled(cart, buyer) : [],
            cart: cart,
            currency: configuration.currencyCode,
            returnURL: configuration.returnURL
        )
        guard request.method == "POST", !cart.lines.isEmpty else {
            let action = request.path + (request.query.map { "?\($0)" } ?? "")
            return .html(CheckoutPages.checkout(order, action: action))
        }
        // Without the cart's `key` in the URL, a guest orders a copy of the cart, and the cart stays. With the `key`, a payment removes the
        // cart. Of several concurrent payments, only the payment that removes the cart places an order.
        guard !hasKey || takeCart(token: cart.token) else {
            return CheckoutPages.cartMissing(returnURL: configuration.returnURL)
        }
        order.number = customers.place(placed(cart), for: buyer)
        return .html(CheckoutPages.ordered(order))
    }

    private func prefilled(_ cart: Cart, _ buyer: KnownBuyer?) -> [(label: String, value: String)] {
        var known: [(label: String, value: String)] = []
        if buyer == nil, let email = cart.identity.email { known.append(("E-mail", email)) }
        if let phone = cart.identity.phone { known.append(("Phone", phone)) }
        let selected = (cart.addresses.first { $0.isSelected } ?? cart.addresses.first)?.fields
        if let selected {
            let names = ["firstName", "lastName", "address1", "address2", "zip", "city", "provinceCode", "countryCode"]
            let parts = names.compactMap { selected[$0]?.string }.filter { !$0.isEmpty }
            known.append(("Deliver to", parts.joined(separator: ", ")))
        } else if let address = buyer?.account.addresses.first {
            let parts = [address.street1, address.street2, address.postalCode, address.city, address.countryCode]
            known.append(("Deliver to", parts.filter { !$0.isEmpty }.joined(separator: ", ")))
        } else if let country = cart.identity.countryCode {
            known.append(("Country", country))
        }
        if !cart.discountCodes.isEmpty { known.append(("Discount", cart.discountCodes.joined(separator: ", "))) }
        return known
    }

    private func placed(_ cart: Cart) -> CustomerOrderRecord {
        CustomerOrderRecord(
            number: 0,
            date: now.formatted(.iso8601),
            lines: cart.lines.map { line in
                CustomerOrderRecord.Line(
                    title: line.variant.product,
                    variantTitle: line.variant.title,
                    quantity: line.quantity,
                    price: line.variant.price,
                    productID: productID(line.variant.product),
                    variantID: line.variant.id
                )
            },
            subtotal: cart.total,
            shipping: 0,
            currency: configuration.currencyCode
        )
    }
}
