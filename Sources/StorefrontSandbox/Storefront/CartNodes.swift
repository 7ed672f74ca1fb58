internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySandbox

/// The properties of a Storefront request that affect the carts in its response.
struct CartViewer: Sendable {
    /// Whether the request has a Storefront access token; without a token, Shopify serves no customers and no product tags.
    let hasToken: Bool
    /// Whether the checkout URLs in the response can open signed in.
    let mayAuthenticateCheckout: Bool
    let now: Date
    /// The visitor's consent in the call's `@inContext`.
    var consent: JSONObject?

    func during(_ call: GraphCall) -> CartViewer {
        var viewer = self
        viewer.consent = call.context["visitorConsent"]?.object
        return viewer
    }
}

extension GraphNode {
    /// Creates an amount in the API's format: one digit after the point, or two if the second digit is not zero.
    static func money(_ hundredths: Int, _ currency: String) -> GraphNode {
        let fraction = hundredths % 100
        let digits = fraction % 10 == 0 ? String(fraction / 10) : (fraction < 10 ? "0" : "") + String(fraction)
        return ["amount": .text("\(hundredths / 100).\(digits)"), "currencyCode": .text(currency)]
    }

    static func date(_ date: Date) -> GraphNode {
        .text(date.formatted(.iso8601))
    }
}

extension SandboxStorefront {
    /// `hasKey` is false if the request's cart id has no key or a wrong key.
    ///
    /// The node then has no buyer identity, addresses, delivery groups or metafields, and its id and its checkout URL have no key.
    func node(of cart: Cart, hasKey: Bool, _ viewer: CartViewer) -> GraphNode {
        let currency = configuration.currencyCode
        let attributes = GraphNode.list(cart.attributes.map(Self.attribute))
        let lines = cart.lines.map { line($0, of: cart, currency) }
        let addresses = hasKey ? cart.addresses : []
        let groups = hasKey ? deliveryGroups(of: cart) : []
        let members: [String: GraphNode] = [
            "id": .text(hasKey ? cart.id : Cart.id(token: cart.token, key: nil)),
            "checkoutUrl": .text(checkoutURL(of: cart, hasKey: hasKey, viewer)),
            "createdAt": .date(cart.createdAt), "updatedAt": .date(cart.updatedAt), "note": .text(cart.note),
            "totalQuantity": .integer(cart.totalQuantity), "attributes": attributes,
            "attribute": .computed { arguments in
                cart.attributes.first { $0["key"] == arguments["key"] }.map(Self.attribute) ?? .null
            },
            "buyerIdentity": hasKey ? buyerIdentity(of: cart, viewer) : [:],
            "cost": [
                "subtotalAmount": .money(cart.subtotal, currency), "subtotalAmountEstimated": .flag(true),
                "totalAmount": .money(cart.total, currency), "totalAmountEstimated": .flag(true),
                "checkoutChargeAmount": .money(cart.total, currency),
            ],
            "delivery": [
                "addresses": .computed { arguments in
                    let onlySelected = arguments["selected"]?.bool == true
                    return .list(addresses.filter { !onlySelected || $0.isSelected }.map(Self.address))
                }
            ],
            "deliveryGroups": .connection(groups),
            "discountCodes": .list(
                cart.discountCodes.map { code in
                    ["code": .text(code), "applicable": .flag(cart.isApplicable(code))]
                }
            ),
            "appliedGiftCards": .list(
                cart.giftCards.map { card in
                    [
                        "id": .text(card.id), "lastCharacters": .text(String(card.code.suffix(4)).lowercased()),
                        "amountUsed": .money(0, currency), "balance": .money(5000, currency),
                        "presentmentAmountUsed": .money(0, currency),
                    ]
                }
            ),
            "discountAllocations": .list(
                cart.discount.map { [Self.allocation($0.code, $0.amount, currency)] } ?? []
            ),
            "lines": .connection(lines),
        ]
        return .object(members.merging(Self.metafieldMembers(hasKey ? cart.metafields : [:])) { $1 })
    }

    private static func attribute(_ value: JSONValue) -> GraphNode {
        ["key": .text(value["key"]?.string ?? ""), "value": .text(value["value"]?.string)]
    }

    private static func allocation(_ code: String, _ amount: Int, _ currency: String) -> GraphNode {
        [
            "__typename": .text("CartCodeDiscountAllocation"),
            "code": .text(code), "discountedAmount": .money(amount, currency), "targetType": .text("LINE_ITEM"),
        ]
    }

    private func line(_ line: Cart.Line, of cart: Cart, _ currency: String) -> GraphNode {
        let share = cart.discountShare(ofLine: line.id)
        let allocations = share > 0 ? cart.discount.map { [Self.allocation($0.code, share, currency)] } ?? [] : []
        return [
            "__typename": .text("CartLine"),
            "id": .text(line.id), "viewKey": .text(line.id), "quantity": .integer(line.quantity),
            "merchandise": variantNode(line.variant),
            // The discount belongs to the whole order. Since version 2026-07, a line shows its part of the discount only if the
            // document passes `lineLevelOnly: false`.
            "discountAllocations": .computed { arguments in
                .list(arguments["lineLevelOnly"]?.bool == true ? [] : allocations)
            },
            "instructions": ["canRemove": .flag(true), "canUpdateQuantity": .flag(true)],
            "sellingPlanAllocation": line.sellingPlanID.map { plan in
                ["sellingPlan": ["id": .text(plan), "name": .text("Sandbox plan")]]
            } ?? .null,
            "attributes": .list(line.attributes.map(Self.attribute)),
            "attribute": .computed { arguments in
                line.attributes.first { $0["key"] == arguments["key"] }.map(Self.attribute) ?? .null
            },
            "cost": [
                "amountPerQuantity": .money(line.variant.price, currency),
                "subtotalAmount": .money(line.variant.price * line.quantity, currency),
                "totalAmount": .money(line.variant.price * line.quantity, currency),
            ],
        ]
    }

    private func buyerIdentity(of cart: Cart, _ viewer: CartViewer) -> GraphNode {
        let identity = cart.identity
        var customer = identity.customer.map(Self.customer) ?? .null
        if !viewer.hasToken {
            customer = .accessDenied(to: "customer", scope: "unauthenticated_read_customers")
        }
        let location = identity.companyLocationID.map { id -> GraphNode in
            [
                "company": ["id": .text("gid://shopify/Company/1"), "name": .text("Sandbox Company")],
                "location": ["id": .text(id), "name": .text("Sandbox Location")],
            ]
        }
        return [
            // A cart without its own e-mail address shows the customer's e-mail address.
            "email": .text(identity.email ?? identity.customer?.account.email),
            "phone": .text(identity.phone), "countryCode": .text(identity.countryCode), "customer": customer,
            "purchasingCompany": location ?? .null,
            "preferences": identity.wallets.map {
                ["wallet": .list($0.map { .leaf($0) })]
            } ?? .null,
        ]
    }

    private static func customer(_ buyer: KnownBuyer) -> GraphNode {
        let account = buyer.account
        return [
            "id": .text("gid://shopify/Customer/\(buyer.number)"), "firstName": .text(account.firstName),
            "lastName": .text(account.lastName), "displayName": .text("\(account.firstName) \(account.lastName)"),
            "email": .text(account.email), "phone": account.phone.isEmpty ? .null : .text(account.phone),
            "tags": .list([]), "acceptsMarketing": .flag(false), "createdAt": .text("2026-01-01T00:00:00Z"),
            "addresses": .connection([]),
            "orders": .connection([], with: ["totalCount": .text("0")]),
            "metafields": noMetafields,
        ]
    }

    private static func address(_ address: Cart.Address) -> GraphNode {
        var members = GraphNode.members(address.fields)
        let names = ["firstName", "lastName"].compactMap { address.fields[$0]?.string }
        if !names.isEmpty { members["name"] = .text(names.joined(separator: " ")) }
        let lines = ["address1", "address2", "city", "zip", "countryCode"].compactMap { address.fields[$0]?.string }
        members["formatted"] = .list(lines.map { .text($0) })
        members["formattedArea"] = .text(address.fields["city"]?.string)
        members["__typename"] = .text("CartDeliveryAddress")
        return [
            "id": .text(address.id), "selected": .flag(address.isSelected),
            "oneTimeUse": .flag(address.isOneTimeUse), "address": .object(members),
        ]
    }

    private func mailingAddress(of cart: Cart) -> [String: GraphNode] {
        var members = GraphNode.members(cart.addresses.first { $0.isSelected }?.fields ?? [:])
        members["id"] = .text("gid://shopify/MailingAddress/\(cart.token)")
        members["countryCodeV2"] = members.removeValue(forKey: "countryCode")
        members["formatted"] = .list([])
        return members
    }

    static let deliveryOptions = [
        (handle: "sandbox-standard", title: "Standard", cost: 500),
        (handle: "sandbox-express", title: "Express", cost: 1500),
    ]

    static func deliveryGroupID(of cart: Cart) -> String { "gid://shopify/CartDeliveryGroup/\(cart.token)" }

    private func deliveryGroups(of cart: Cart) -> [GraphNode] {
        guard !cart.lines.isEmpty, cart.addresses.contains(where: { $0.isSelected }) else { return [] }
        let options = Self.deliveryOptions.map { option -> GraphNode in
            [
                "handle": .text(option.handle), "title": .text(option.title), "code": .text(option.title),
                "description": .text(""), "estimatedCost": .money(option.cost, configuration.currencyCode),
                "deliveryMethodType": .text("SHIPPING"),
            ]
        }
        let chosen = Self.deliveryOptions.firstIndex { $0.handle == cart.deliveryOption } ?? 0
        return [
            [
                "id": .text(Self.deliveryGroupID(of: cart)), "groupType": .text("ONE_TIME_PURCHASE"),
                "deliveryOptions": .list(options), "selectedDeliveryOption": options[chosen],
                "cartLines": .connection(
                    cart.lines.map { line($0, of: cart, configuration.currencyCode) }
                ),
                "deliveryAddress": .object(mailingAddress(of: cart)),
            ]
        ]
    }
}
