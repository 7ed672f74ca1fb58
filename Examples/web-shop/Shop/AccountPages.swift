internal import IdentityKit
internal import IdentityWeb
internal import ShopifyCustomerAccount
internal import ShopifyGraphQL

extension WebShop {
    /// The account of the session's buyer at Shopify; nil for sessions of other providers.
    private func customer(_ session: Session) -> CustomerAccount? {
        guard provider(of: session)?.kind == "shopify", let client = customers else { return nil }
        return CustomerAccount(of: session.id, client: client, sessions: sessions)
    }

    private func requireCustomer(_ context: WebContext) async throws -> CustomerAccount {
        guard let account = customer(try await context.requireSession()) else {
            throw Notice(text: .refused, page: "/account")
        }
        return account
    }

    func account(_ context: WebContext) async throws -> WebResponse {
        let session = try await context.requireSession()
        let content =
            if let account = customer(session) { try await shopifyAccount(account, context) } else {
                try await otherAccount(session)
            }
        return try await page(
            "Account",
            """
            <h1>\(Self.name(of: session.buyer))</h1>
            <p class="whose">Signed in with \(provider(of: session)?.displayName ?? session.provider).</p>
            \(content)
            <section class="signout">
            <form method="post" action="/auth/logout">\(protection(context))<button class="plain">Sign out</button></form>
            <form method="post" action="/account/sign-out-everywhere">\(protection(context))\
            <button class="plain">Sign out everywhere</button></form>
            </section>
            """,
            in: context
        )
    }

    /// Profile, addresses and orders from the Customer Account API.
    private func shopifyAccount(_ account: CustomerAccount, _ context: WebContext) async throws -> Markup {
        async let profile = account.profile()
        var addresses: [CustomerPostalAddress] = []
        for try await page in account.addresses(pageSize: 20) { addresses += page }
        var pages = account.orders(pageSize: 20).makeAsyncIterator()
        let orders = try await pages.next() ?? []
        let known = try await profile
        let rows = orders.map { order -> Markup in
            """
            <tr><td><a href="\(Link.to("/account/order", ["id": order.id]))">\(order.name)</a></td>
            <td>\(String(order.processedAt.text.prefix(10)))</td>
            <td>\(Self.price(order.totalPrice.amount.text, order.totalPrice.currencyCode))</td></tr>
            """
        }
        let table: Markup =
            rows.isEmpty
            ? "<p>You have no orders yet.</p>"
            : "<table><thead><tr><th>Order</th><th>Date</th><th>Total</th></tr></thead><tbody>\(rows)</tbody></table>"
        return """
            <section><h2>Orders</h2>\(table)</section>
            <section><h2>Profile</h2>
            <p>\(known.emailAddress?.emailAddress ?? "")</p>
            <form class="fields" method="post" action="/account/profile">\(protection(context))
            <label>First name <input name="firstName" autocomplete="given-name" maxlength="100" value="\(known.firstName ?? "")"></label>
            <label>Last name <input name="lastName" autocomplete="family-name" maxlength="100" value="\(known.lastName ?? "")"></label>
            <button class="plain">Save</button></form></section>
            <section><h2>Addresses</h2>
            <ul class="addresses">\(addresses.map { address($0, isDefault: $0.id == known.defaultAddress?.id, context) })</ul>
            <details><summary>Add an address</summary>\(addressForm(context))</details></section>
            """
    }

    private func address(_ address: CustomerPostalAddress, isDefault: Bool, _ context: WebContext) -> Markup {
        let name = [address.firstName, address.lastName].compactMap { $0 }.joined(separator: " ")
        let lines = address.formatted.map { line -> Markup in "<br>\(line)" }
        let buttons: Markup =
            isDefault
            ? "<small>Default address</small>"
            : """
            <form method="post" action="/account/address">\(protection(context))\
            <input type="hidden" name="id" value="\(address.id)">\
            <button class="plain" name="action" value="default">Make default</button>\
            <button class="plain" name="action" value="remove">Remove</button></form>
            """
        return "<li><address><strong>\(name)</strong>\(lines)</address>\(buttons)</li>"
    }

    private func addressForm(_ context: WebContext) -> Markup {
        let fields = [
            ("firstName", "First name", "given-name"), ("lastName", "Last name", "family-name"),
            ("address1", "Street", "address-line1"), ("zip", "Postal code", "postal-code"),
            ("city", "City", "address-level2"), ("territoryCode", "Country code, for example DE", "country"),
        ]
        let inputs = fields.map { name, label, autocomplete -> Markup in
            "<label>\(label) <input name=\"\(name)\" autocomplete=\"\(autocomplete)\" maxlength=\"100\" required></label>"
        }
        return """
            <form class="fields" method="post" action="/account/addresses">\(protection(context))\(inputs)\
            <button class="plain">Add</button></form>
            """
    }

    /// The profile and the addresses that another provider than Shopify knows.
    private func otherAccount(_ session: Session) async throws -> Markup {
        let buyer: Buyer
        do {
            buyer = try await sessions.buyerProfile(for: session.id)
        } catch let error as IdentityError where error.code == .unsupportedByProvider {
            buyer = session.buyer
        }
        let addresses = buyer.addresses.map { address -> Markup in
            let lines = [address.line1, address.line2, address.postalCode, address.city, address.countryCode]
            return "<li><address>\(lines.compactMap { $0 }.joined(separator: ", "))</address></li>"
        }
        let phone: Markup = buyer.phone.map { "<p>\($0.value)</p>" } ?? .none
        return """
            <section><h2>Profile</h2><p>\(Self.name(of: buyer))</p><p>\(buyer.email?.value ?? "")</p>\(phone)
            <ul class="addresses">\(addresses)</ul></section>
            """
    }

    func order(_ context: WebContext) async throws -> WebResponse {
        let account = try await requireCustomer(context)
        guard let id = context.request.queryValue("id"),
            let order = try await changing(page: "/account", { try await account.order(id) })
        else { return try await notFound(context) }
        let facts = order.customerOrder
        let rows = order.lineItems.nodes.map { line -> Markup in
            let total = line.totalPrice.map { Self.price($0.amount.text, $0.currencyCode) } ?? ""
            return """
                <tr><td>\(line.title) <small>\(line.variantTitle ?? "")</small></td><td>\(line.quantity)</td><td>\(total)</td></tr>
                """
        }
        let total = Self.price(facts.totalPrice.amount.text, facts.totalPrice.currencyCode)
        return try await page(
            "Order \(facts.name)",
            """
            <h1>Order \(facts.name)</h1>
            <table><thead><tr><th>Item</th><th>Quantity</th><th>Price</th></tr></thead><tbody>\(rows)</tbody>
            <tfoot><tr><th colspan="2">Total</th><th>\(total)</th></tr></tfoot></table>
            <p><a href="/account">Back to your account</a></p>
            """,
            in: context
        )
    }

    // MARK: Changes

    func updateProfile(_ context: WebContext) async throws -> WebResponse {
        let account = try await requireCustomer(context)
        func field(_ name: String) -> InputField<String> {
            let text = context.request.formValue(name) ?? ""
            return text.isEmpty ? .null : .set(text)
        }
        let input = CustomerProfileInput(firstName: field("firstName"), lastName: field("lastName"))
        _ = try await changing(page: "/account") { try await account.update(input) }
        throw Notice(text: .saved, page: "/account")
    }

    func addAddress(_ context: WebContext) async throws -> WebResponse {
        let account = try await requireCustomer(context)
        func field(_ name: String) -> InputField<String> { .setIfPresent(context.request.formValue(name)) }
        let address = CustomerAddressInput(
            firstName: field("firstName"),
            lastName: field("lastName"),
            address1: field("address1"),
            city: field("city"),
            territoryCode: field("territoryCode"),
            zip: field("zip")
        )
        _ = try await changing(page: "/account") { try await account.add(address) }
        throw Notice(text: .saved, page: "/account")
    }

    func changeAddress(_ context: WebContext) async throws -> WebResponse {
        let account = try await requireCustomer(context)
        guard let id = context.request.formValue("id") else { throw Notice(text: .refused, page: "/account") }
        let isRemoved = context.request.formValue("action") == "remove"
        try await changing(page: "/account") {
            if isRemoved { try await account.remove(address: id) } else { _ = try await account.setDefaultAddress(id) }
        }
        throw Notice(text: .saved, page: "/account")
    }

    /// Ends the buyer's sessions in all other browsers, then redirects to the route `logout`, which ends this browser's session.
    func signOutEverywhere(_ context: WebContext) async throws -> WebResponse {
        // This call throws if this browser's session cannot be read. The catch below is only for other sessions.
        _ = try await context.requireSession()
        do {
            try await context.endOtherSignIns()
        } catch let error as IdentityError where [.storeCorrupt, .storeKeyMismatch].contains(error.code) {
            // A session that cannot be read is no valid sign-in. All other sessions have ended, and this browser's session must end too.
        }
        var response = try WebResponse.redirect(to: "/auth/logout")
        // With status 307, the browser repeats the POST: the route `logout` ends no session for a GET.
        response.status = 307
        return response
    }
}
