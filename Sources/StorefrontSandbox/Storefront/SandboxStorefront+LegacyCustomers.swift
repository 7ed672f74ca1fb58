internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySandbox

extension SandboxStorefront {
    /// Creates a legacy customer, like the mutation `customerCreate`.
    ///
    /// If `customerCreate` would refuse the customer, for example because the address is taken, this method has no effect.
    ///
    /// - Parameters:
    ///   - email: The e-mail address.
    ///   - password: 5 to 40 bytes.
    ///   - isActive: Whether the account can be used at once; otherwise it must be activated.
    public func addLegacyCustomer(email: String, password: String, isActive: Bool = true) {
        let input: JSONObject = ["email": .string(email), "password": .string(password), "firstName": .string("Ada")]
        _ = try? withLegacy { customers in try customers.create(input, isActive: isActive) }
    }

    /// Issues the token of an e-mail about a password reset or an activation, and returns the contents of the e-mail.
    ///
    /// - Returns: The customer's id, the token, and the URL; nil for an unknown address.
    public func legacyMail(to email: String) -> (customerID: String, token: String, url: String)? {
        guard let mail = try? withLegacy({ $0.mail(to: email) }) else { return nil }
        return (mail.customer.id, mail.token, "\(origin)/account/reset/\(mail.customer.number)/\(mail.token)")
    }

    var legacyQueries: [String: GraphExecutor.Resolver] {
        [
            "customer": { [self] call in
                let token = Self.token(call.arguments)
                return (try? withLegacy { $0.customer(token, at: now) }).map { Self.node(of: $0) } ?? .null
            }
        ]
    }

    /// A change of the legacy customers, which returns the members of the mutation's payload.
    private typealias LegacyChange =
        @Sendable (inout LegacyCustomers, JSONObject, Date) throws -> [String: GraphNode]

    var legacyMutations: [String: GraphExecutor.Mutation] {
        let changes = legacyAccountChanges.merging(legacyTokenChanges) { $1 }.merging(Self.legacyAddressChanges) { $1 }
        return changes.mapValues { change in
            { [self] call in try withLegacy { try change(&$0, call.arguments, now) } }
        }
    }

    private static func token(_ arguments: JSONObject) -> String { arguments.text("customerAccessToken") }

    private var legacyTokenChanges: [String: LegacyChange] {
        let multipassSecret = configuration.multipassSecret
        return [
            "customerAccessTokenCreate": { customers, arguments, now in
                let (email, password) = (arguments["input"]?["email"]?.string, arguments["input"]?["password"]?.string)
                let token = try customers.signIn(email ?? "", password ?? "", at: now)
                return ["customerAccessToken": Self.node(ofToken: token)]
            },
            "customerAccessTokenCreateWithMultipass": { customers, arguments, now in
                let text = arguments.text("multipassToken")
                let multipass = try MultipassReader.read(text, secret: multipassSecret, at: now)
                let token = try customers.signIn(multipassToken: multipass.bytes, email: multipass.email, at: now)
                return ["customerAccessToken": Self.node(ofToken: token)]
            },
            "customerAccessTokenRenew": { customers, arguments, now in
                guard let token = customers.renew(Self.token(arguments), at: now) else {
                    throw UserError("TOKEN_INVALID", at: [], "access token does not exist")
                }
                return ["customerAccessToken": Self.node(ofToken: token)]
            },
            "customerAccessTokenDelete": { customers, arguments, _ in
                let token = Self.token(arguments)
                guard customers.delete(token) else { return [:] }
                return ["deletedAccessToken": .text(token), "deletedCustomerAccessTokenId": .text("1")]
            },
        ]
    }

    private var legacyAccountChanges: [String: LegacyChange] {
        var changes: [String: LegacyChange] = [
            "customerCreate": { customers, arguments, _ in
                ["customer": Self.node(of: try customers.create(arguments.object("input")))]
            },
            "customerRecover": { customers, arguments, _ in
                guard customers.mail(to: arguments.text("email")) != nil else {
                    throw UserError("UNIDENTIFIED_CUSTOMER", at: ["email"])
                }
                return [:]
            },
            "customerUpdate": { customers, arguments, now in
                let input = arguments.object("customer")
                let (customer, token) = try customers.update(Self.token(arguments), input, at: now)
                let tokenNode = token.map { Self.node(ofToken: $0) } ?? .null
                return ["customer": Self.node(of: customer), "customerAccessToken": tokenNode]
            },
        ]
        for (name, purpose) in [("customerReset", "reset"), ("customerActivate", "activation")] {
            changes[name] = { customers, arguments, now in
                let (input, id) = (arguments["input"], arguments.text("id"))
                let (mail, password) = (input?[purpose + "Token"]?.string ?? "", input?["password"]?.string)
                let fields = (["input", purpose + "Token"], ["input", "password"])
                let token = try customers.takeMail(mail, for: id, password: password, fields: fields, at: now)
                return ["customerAccessToken": Self.node(ofToken: token)]
            }
            changes[name + "ByUrl"] = { customers, arguments, now in
                let mail = arguments[purpose + "Url"]?.string?.split(separator: "/").last.map(String.init) ?? ""
                let password = arguments["password"]?.string
                let fields = ([purpose + "Url"], ["password"])
                let token = try customers.takeMail(mail, for: nil, password: password, fields: fields, at: now)
                return ["customerAccessToken": Self.node(ofToken: token)]
            }
        }
        return changes
    }

    private static var legacyAddressChanges: [String: LegacyChange] {
        let save: LegacyChange = { customers, arguments, now in
            let (id, fields) = (arguments["id"]?.string, arguments.object("address"))
            let address = try customers.changeAddress(token(arguments), id, fields, at: now)
            return ["customerAddress": node(ofAddress: address)]
        }
        return [
            "customerAddressCreate": save,
            "customerAddressUpdate": save,
            "customerAddressDelete": { customers, arguments, now in
                let id = arguments.text("id")
                try customers.removeAddress(token(arguments), id, at: now)
                return ["deletedCustomerAddressId": .text(id)]
            },
            "customerDefaultAddressUpdate": { customers, arguments, now in
                let id = arguments.text("addressId")
                return ["customer": node(of: try customers.setDefaultAddress(token(arguments), id, at: now))]
            },
        ]
    }

    private static func node(ofToken token: (String, Date)) -> GraphNode {
        ["accessToken": .text(token.0), "expiresAt": .date(token.1)]
    }

    private static func node(ofAddress address: (id: String, fields: JSONObject)) -> GraphNode {
        let lines = ["address1", "city", "country"].compactMap { address.fields[$0]?.string }
        var members = GraphNode.members(address.fields)
        members["id"] = .text(address.id)
        members["provinceCode"] = members["province"]
        members["formatted"] = .list(lines.map { .text($0) })
        members["formattedArea"] = members["city"]
        return .object(members)
    }

    /// The id of ``legacyOrder`` with its secret key; as at Shopify, `node(id:)` needs the key but no customer access token.
    static let legacyOrderID = "gid://shopify/Order/501?key=\(RandomText.hexadecimal(32))"

    /// The only order of every legacy customer.
    static let legacyOrder: GraphNode = [
        "__typename": .text("Order"), "id": .text(legacyOrderID), "name": .text("#501"), "orderNumber": .integer(501),
        "processedAt": .text("2026-11-01T10:00:00Z"), "canceledAt": .null, "financialStatus": .text("PAID"),
        "fulfillmentStatus": .text("FULFILLED"), "statusUrl": .text("https://shop.example/orders/501"),
        "totalPrice": ["amount": .text("30.0"), "currencyCode": .text("USD")],
        "metafields": noMetafields,
    ]

    private static func node(of customer: LegacyCustomers.Customer) -> GraphNode {
        let name = [customer.firstName, customer.lastName].compactMap { $0 }.joined(separator: " ")
        let addresses = customer.addresses.map { node(ofAddress: $0) }
        let index = customer.addresses.firstIndex { $0.id == customer.defaultAddress }
        return [
            "id": .text(customer.id), "email": .text(customer.email), "phone": .text(customer.phone),
            "firstName": .text(customer.firstName), "lastName": .text(customer.lastName),
            "displayName": .text(name.isEmpty ? customer.email : name), "tags": .list([]),
            "acceptsMarketing": .flag(customer.acceptsMarketing), "createdAt": .text("2026-01-01T00:00:00Z"),
            "defaultAddress": index.map { addresses[$0] } ?? .null,
            "addresses": .connection(addresses),
            "orders": .connection([legacyOrder], with: ["totalCount": .text("1")]),
            "metafields": noMetafields,
        ]
    }
}
