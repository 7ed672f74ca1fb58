internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySandbox

extension SandboxStorefront {
    /// Creates a legacy customer, like `customerCreate`.
    ///
    /// - Parameters:
    ///   - email: The address.
    ///   - password: 5 to 40 bytes.
    ///   - isActive: Whether the account can be used at once; otherwise it must be activated.
    public func addLegacyCustomer(email: String, password: String, isActive: Bool = true) {
        let input: JSONObject = ["email": .string(email), "password": .string(password), "firstName": .string("Ada")]
        _ = withLegacy { (customers) throws(LegacyCustomers.Refusal) in try customers.create(input, isActive: isActive)
        }
    }

    /// The content of a new e-mail about a password reset or an activation.
    ///
    /// - Returns: The customer's id, the token, and the URL; nil for an unknown address.
    public func legacyMail(to email: String) -> (customerID: String, token: String, url: String)? {
        let result = withLegacy { (customers) throws(LegacyCustomers.Refusal) in customers.mail(to: email) }
        guard case .success(let mail?) = result else { return nil }
        return (mail.customer.id, mail.token, "\(origin)/account/reset/\(mail.customer.number)/\(mail.token)")
    }

    var legacyQueries: [String: GraphExecutor.Resolver] {
        [
            "customer": { [self] call in
                let token = call.arguments["customerAccessToken"]?.string ?? ""
                let result = withLegacy { (customers) throws(LegacyCustomers.Refusal) in
                    customers.customer(token, at: now)
                }
                guard case .success(let customer?) = result else { return .null }
                return Self.node(of: customer)
            }
        ]
    }

    var legacyMutations: [String: GraphExecutor.Resolver] {
        let multipassSecret = configuration.multipassSecret
        let givers:
            [String:
                @Sendable (JSONObject, inout LegacyCustomers, Date) throws(LegacyCustomers.Refusal) -> (String, Date)] =
                [
                    "customerAccessTokenCreate": { arguments, customers, now throws(LegacyCustomers.Refusal) in
                        let input = arguments["input"]
                        return try customers.signIn(
                            input?["email"]?.string ?? "",
                            input?["password"]?.string ?? "",
                            at: now
                        )
                    },
                    "customerAccessTokenCreateWithMultipass": {
                        arguments,
                        customers,
                        now throws(LegacyCustomers.Refusal) in
                        let token = arguments["multipassToken"]?.string ?? ""
                        let email = try MultipassReader.email(in: token, secret: multipassSecret, at: now)
                        return try customers.signIn(multipassToken: token, email: email, at: now)
                    },
                    "customerReset": { arguments, customers, now throws(LegacyCustomers.Refusal) in
                        try customers.takeMail(
                            arguments["input"]?["resetToken"]?.string ?? "",
                            for: arguments["id"]?.string ?? "",
                            password: arguments["input"]?["password"]?.string,
                            at: now
                        )
                    },
                    "customerResetByUrl": { arguments, customers, now throws(LegacyCustomers.Refusal) in
                        try customers.takeMail(
                            arguments["resetUrl"]?.string?.split(separator: "/").last.map(String.init) ?? "",
                            for: nil,
                            password: arguments["password"]?.string,
                            at: now
                        )
                    },
                    "customerActivate": { arguments, customers, now throws(LegacyCustomers.Refusal) in
                        try customers.takeMail(
                            arguments["input"]?["activationToken"]?.string ?? "",
                            for: arguments["id"]?.string ?? "",
                            password: arguments["input"]?["password"]?.string,
                            at: now
                        )
                    },
                    "customerActivateByUrl": { arguments, customers, now throws(LegacyCustomers.Refusal) in
                        try customers.takeMail(
                            arguments["activationUrl"]?.string?.split(separator: "/").last.map(String.init) ?? "",
                            for: nil,
                            password: arguments["password"]?.string,
                            at: now
                        )
                    },
                ]
        var mutations = legacyAccountMutations
        for (name, giver) in givers {
            mutations[name] = { [self] call in
                let result = withLegacy { (customers) throws(LegacyCustomers.Refusal) in
                    try giver(call.arguments, &customers, now)
                }
                return Self.payload(of: name, "customerAccessToken", result.map { Self.node(ofToken: $0) })
            }
        }
        return mutations
    }

    private var legacyAccountMutations: [String: GraphExecutor.Resolver] {
        let mutations: [String: GraphExecutor.Resolver] = [
            "customerCreate": { [self] call in
                let result = withLegacy { (customers) throws(LegacyCustomers.Refusal) in
                    try customers.create(call.arguments["input"]?.object ?? [:])
                }
                return Self.payload(of: "customerCreate", "customer", result.map { Self.node(of: $0) })
            },
            "customerRecover": { [self] call in
                let result = withLegacy { (customers) throws(LegacyCustomers.Refusal) -> GraphNode in
                    let mail = customers.mail(to: call.arguments["email"]?.string ?? "")
                    guard mail != nil else { throw LegacyCustomers.Refusal("UNIDENTIFIED_CUSTOMER", "email") }
                    return .null
                }
                return Self.payload(of: "customerRecover", nil, result)
            },
            "customerUpdate": { [self] call in
                let result = withLegacy { (customers) throws(LegacyCustomers.Refusal) in
                    try customers.update(
                        call.arguments["customerAccessToken"]?.string ?? "",
                        call.arguments["customer"]?.object ?? [:],
                        at: now
                    )
                }
                switch result {
                case .success(let (customer, token)):
                    return .object(
                        "CustomerUpdatePayload",
                        [
                            "customer": Self.node(of: customer),
                            "customerAccessToken": token.map { Self.node(ofToken: $0) } ?? .null,
                            "customerUserErrors": .list([]),
                        ]
                    )
                case .failure(let refusal): return Self.payload(of: "customerUpdate", "customer", .failure(refusal))
                }
            },
            "customerAccessTokenRenew": { [self] call in
                let token = call.arguments["customerAccessToken"]?.string ?? ""
                let result = withLegacy { (customers) throws(LegacyCustomers.Refusal) in
                    customers.renew(token, at: now)
                }
                guard case .success(let renewed?) = result else {
                    let error: GraphNode = .object(
                        "UserError",
                        ["field": .list([]), "message": .text("access token does not exist")]
                    )
                    return .object(
                        "CustomerAccessTokenRenewPayload",
                        ["customerAccessToken": .null, "userErrors": .list([error])]
                    )
                }
                return .object(
                    "CustomerAccessTokenRenewPayload",
                    ["customerAccessToken": Self.node(ofToken: renewed), "userErrors": .list([])]
                )
            },
            "customerAccessTokenDelete": { [self] call in
                let token = call.arguments["customerAccessToken"]?.string ?? ""
                let result = withLegacy { (customers) throws(LegacyCustomers.Refusal) in customers.delete(token) }
                let isDeleted = if case .success(true) = result { true } else { false }
                return .object(
                    "CustomerAccessTokenDeletePayload",
                    [
                        "deletedAccessToken": .text(isDeleted ? token : nil),
                        "deletedCustomerAccessTokenId": .text(isDeleted ? "1" : nil), "userErrors": .list([]),
                    ]
                )
            },
        ]
        return mutations.merging(legacyAddressMutations) { $1 }
    }

    private var legacyAddressMutations: [String: GraphExecutor.Resolver] {
        var mutations: [String: GraphExecutor.Resolver] = [:]
        for name in ["customerAddressCreate", "customerAddressUpdate"] {
            mutations[name] = { [self] call in
                let result = withLegacy { (customers) throws(LegacyCustomers.Refusal) in
                    try customers.changeAddress(
                        call.arguments["customerAccessToken"]?.string ?? "",
                        call.arguments["id"]?.string,
                        call.arguments["address"]?.object ?? [:],
                        at: now
                    )
                }
                return Self.payload(of: name, "customerAddress", result.map { Self.node(ofAddress: $0) })
            }
        }
        mutations["customerAddressDelete"] = { [self] call in
            let id = call.arguments["id"]?.string ?? ""
            let result = withLegacy { (customers) throws(LegacyCustomers.Refusal) in
                try customers.removeAddress(call.arguments["customerAccessToken"]?.string ?? "", id, at: now)
            }
            return Self.payload(of: "customerAddressDelete", "deletedCustomerAddressId", result.map { .text(id) })
        }
        mutations["customerDefaultAddressUpdate"] = { [self] call in
            let result = withLegacy { (customers) throws(LegacyCustomers.Refusal) in
                try customers.setDefaultAddress(
                    call.arguments["customerAccessToken"]?.string ?? "",
                    call.arguments["addressId"]?.string ?? "",
                    at: now
                )
            }
            return Self.payload(of: "customerDefaultAddressUpdate", "customer", result.map { Self.node(of: $0) })
        }
        return mutations
    }

    // MARK: Nodes

    private static func payload(
        of mutation: String,
        _ field: String?,
        _ result: Result<GraphNode, LegacyCustomers.Refusal>
    ) -> GraphNode {
        var members: [String: GraphNode] = [:]
        switch result {
        case .success(let node):
            if let field { members[field] = node }
            members["customerUserErrors"] = .list([])
        case .failure(let refusal):
            if let field { members[field] = .null }
            members["customerUserErrors"] = .list([refusal.node])
        }
        // Other fields of the payload are null.
        for name in ["customer", "customerAccessToken"] where members[name] == nil { members[name] = .null }
        return .object(mutation.prefix(1).uppercased() + mutation.dropFirst() + "Payload", members)
    }

    private static func node(ofToken token: (String, Date)) -> GraphNode {
        let style = Date.ISO8601FormatStyle()
        return .object(
            "CustomerAccessToken",
            ["accessToken": .text(token.0), "expiresAt": .text(token.1.formatted(style))]
        )
    }

    private static func node(ofAddress address: (id: String, fields: JSONObject)) -> GraphNode {
        func text(_ name: String) -> GraphNode { .text(address.fields[name]?.string) }
        let lines = ["address1", "city", "country"].compactMap { address.fields[$0]?.string }
        return .object(
            "MailingAddress",
            [
                "id": .text(address.id), "firstName": text("firstName"), "lastName": text("lastName"), "name": .null,
                "company": text("company"), "address1": text("address1"), "address2": text("address2"),
                "city": text("city"), "province": text("province"), "provinceCode": text("province"),
                "zip": text("zip"), "country": text("country"), "countryCodeV2": .null, "phone": text("phone"),
                "formatted": .list(lines.map { .text($0) }), "formattedArea": text("city"),
            ]
        )
    }

    static let legacyOrderID = "gid://shopify/Order/501"

    /// The one order of every legacy customer.
    static let legacyOrder = GraphNode.object(
        "Order",
        [
            "id": .text(legacyOrderID), "name": .text("#501"), "orderNumber": .integer(501),
            "processedAt": .text("2026-11-01T10:00:00Z"), "canceledAt": .null, "financialStatus": .text("PAID"),
            "fulfillmentStatus": .text("FULFILLED"), "statusUrl": .text("https://shop.example/orders/501"),
            "totalPrice": .object("MoneyV2", ["amount": .text("30.0"), "currencyCode": .text("USD")]),
            "metafields": noMetafields,
        ]
    )

    private static func node(of customer: LegacyCustomers.Customer) -> GraphNode {
        let name = [customer.firstName, customer.lastName].compactMap { $0 }.joined(separator: " ")
        let addresses = customer.addresses.map { node(ofAddress: $0) }
        let index = customer.addresses.firstIndex { $0.id == customer.defaultAddress }
        return .object(
            "Customer",
            [
                "id": .text(customer.id), "email": .text(customer.email), "phone": .text(customer.phone),
                "firstName": .text(customer.firstName), "lastName": .text(customer.lastName),
                "displayName": .text(name.isEmpty ? customer.email : name), "tags": .list([]),
                "acceptsMarketing": .flag(customer.acceptsMarketing), "createdAt": .text("2026-01-01T00:00:00Z"),
                "defaultAddress": index.map { addresses[$0] } ?? .null,
                "addresses": .connection("MailingAddressConnection", "MailingAddressEdge", addresses),
                "orders": .connection("OrderConnection", "OrderEdge", [legacyOrder], with: ["totalCount": .text("1")]),
                "metafields": noMetafields,
            ]
        )
    }
}
