internal import IdentityKit

/// The part of the Customer Account API that an identity provider needs, in our own words.
enum CustomerAccountAPI {
    /// Read once per process.
    static let schema = try? GraphSchema(definition)

    static let definition = """
        type QueryRoot { customer: Customer! shop: Shop! }
        type Mutation { storefrontCustomerAccessTokenCreate: StorefrontCustomerAccessTokenCreatePayload }
        scalar DateTime
        enum CountryCode
        enum LanguageCode
        enum EmailMarketingState { NOT_SUBSCRIBED SUBSCRIBED }
        scalar URL
        type Shop { id: ID! name: String! url: URL! }
        type Customer {
          id: ID! firstName: String lastName: String displayName: String! imageUrl: URL! tags: [String!]!
          creationDate: DateTime! emailAddress: CustomerEmailAddress phoneNumber: CustomerPhoneNumber
          defaultAddress: CustomerAddress
          addresses(first: Int after: String last: Int before: String reverse: Boolean = false skipDefault: Boolean = false): CustomerAddressConnection!
          orders(first: Int after: String last: Int before: String reverse: Boolean = false query: String): OrderConnection!
        }
        type CustomerEmailAddress { emailAddress: String marketingState: EmailMarketingState! }
        type CustomerPhoneNumber { phoneNumber: String! }
        type CustomerAddress {
          id: ID! firstName: String lastName: String name: String company: String address1: String address2: String
          city: String province: String zoneCode: String zip: String country: String territoryCode: CountryCode
          phoneNumber: String formatted(withName: Boolean = false withCompany: Boolean = true): [String!]!
        }
        type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
        type CustomerAddressConnection { nodes: [CustomerAddress!]! edges: [CustomerAddressEdge!]! pageInfo: PageInfo! }
        type CustomerAddressEdge { cursor: String! node: CustomerAddress! }
        type OrderConnection { nodes: [Order!]! edges: [OrderEdge!]! pageInfo: PageInfo! }
        type OrderEdge { cursor: String! node: Order! }
        type Order { id: ID! name: String! number: Int! processedAt: DateTime! }
        enum UserErrorsStorefrontCustomerAccessTokenCreateUserErrorsCode { CUSTOMER_DOES_NOT_EXIST }
        type UserErrorsStorefrontCustomerAccessTokenCreateUserErrors {
          code: UserErrorsStorefrontCustomerAccessTokenCreateUserErrorsCode field: [String!] message: String!
        }
        type StorefrontCustomerAccessTokenCreatePayload {
          customerAccessToken: String userErrors: [UserErrorsStorefrontCustomerAccessTokenCreateUserErrors!]!
        }
        """

    static func customer(_ buyer: KnownBuyer) -> GraphNode {
        let account = buyer.account
        let addresses = account.addresses.enumerated().map { address($0.element, index: $0.offset, account) }
        let name = [account.firstName, account.lastName].filter { !$0.isEmpty }.joined(separator: " ")
        return .object(
            "Customer",
            [
                "id": .text("gid://shopify/Customer/\(buyer.number)"),
                "firstName": account.firstName.isEmpty ? .null : .text(account.firstName),
                "lastName": account.lastName.isEmpty ? .null : .text(account.lastName),
                "displayName": .text(name.isEmpty ? account.email : name),
                "imageUrl": .text("https://cdn.example/avatar.png"), "tags": .list([]),
                "creationDate": .text("2026-01-01T00:00:00Z"),
                "emailAddress": .object(
                    "CustomerEmailAddress",
                    ["emailAddress": .text(account.email), "marketingState": .text("NOT_SUBSCRIBED")]
                ),
                "phoneNumber": account.phone.isEmpty
                    ? .null : .object("CustomerPhoneNumber", ["phoneNumber": .text(account.phone)]),
                "defaultAddress": addresses.first ?? .null,
                "addresses": .connection("CustomerAddressConnection", "CustomerAddressEdge", addresses),
                "orders": .connection("OrderConnection", "OrderEdge", []),
            ]
        )
    }

    private static func address(
        _ address: SandboxBuyerAccount.Address,
        index: Int,
        _ account: SandboxBuyerAccount
    ) -> GraphNode {
        .object(
            "CustomerAddress",
            [
                "id": .text("gid://shopify/CustomerAddress/\(index + 1)"), "firstName": .text(account.firstName),
                "lastName": .text(account.lastName), "name": .text("\(account.firstName) \(account.lastName)"),
                "company": .null, "address1": .text(address.street1), "address2": .text(address.street2),
                "city": .text(address.city), "province": .text(address.region), "zoneCode": .text(address.regionCode),
                "zip": .text(address.postalCode), "country": .text(address.countryCode),
                "territoryCode": .text(address.countryCode), "phoneNumber": .text(account.phone),
                "formatted": .list([.text(address.street1), .text(address.city)]),
            ]
        )
    }
}

extension SandboxShopify {
    /// Authentication comes before the query is looked at.
    func customerAccountAPI(_ call: SandboxCall) -> SandboxAnswer {
        journal.count(\.apiCalls)
        let request = call.request
        func unauthorized(_ message: String) -> SandboxAnswer {
            .json(["errors": .array([.object(["message": .string(message)])])], status: 401)
        }
        guard request.header("user-agent")?.isEmpty == false else {
            return .html(NoticePages.accessDenied(brand: "Shopify"), status: 403)
        }
        let version = request.path.split(separator: "/").dropLast().last.map(String.init) ?? ""
        guard StorefrontVersions.supported.contains(version) else {
            return .json(["errors": .string("Not Found")], status: 404)
        }
        guard let token = request.header("authorization"), token.hasPrefix("shcat_") else {
            return unauthorized("Invalid token, missing prefix shcat_.")
        }
        guard let buyer = buyer(forAccessToken: token) else { return unauthorized("Invalid token. Decode Error.") }
        guard request.method == "POST", let body = try? JSONValue(parsing: request.body),
            let schema = CustomerAccountAPI.schema
        else {
            return .json(["errors": .object(["query": .string("Required parameter missing or invalid")])], status: 400)
        }
        let shop: GraphNode = .object(
            "Shop",
            ["id": .text("gid://shopify/Shop/\(shopID)"), "name": .text("Sandbox"), "url": .text(platformOrigin)]
        )
        let executor = GraphExecutor(
            schema: schema,
            queries: ["customer": { _ in CustomerAccountAPI.customer(buyer) }, "shop": { _ in shop }],
            mutations: [
                "storefrontCustomerAccessTokenCreate": { [self] _ in
                    .object(
                        "StorefrontCustomerAccessTokenCreatePayload",
                        ["customerAccessToken": .text(exchange(token)), "userErrors": .list([])]
                    )
                }
            ]
        )
        return SandboxAnswer.json(executor.run(body)).with("X-Request-Id", RandomText.hexadecimal(32))
    }
}
