internal import GraphQLLanguage
internal import IdentityKit
internal import IdentitySandbox

/// The schema of the sandbox's Customer Account API, which is only a part of Shopify's API.
enum SandboxCustomerAccountAPI {
    static let schema = try? GraphSchema(definition: definition)

    /// The values of `LanguageCode`: those of the Storefront API, without its old codes LA, MO and SH.
    private static let languages = StorefrontSchema.languages.split(whereSeparator: \.isWhitespace)
        .filter { !["LA", "MO", "SH"].contains($0) }.joined(separator: " ")

    static let countries = Set(StorefrontSchema.countries.split(whereSeparator: \.isWhitespace).map(String.init))

    static let definition = """
        directive @inContext(country: CountryCode language: LanguageCode preferredLocationId: ID) on QUERY | MUTATION
        type QueryRoot { customer: Customer! shop: Shop! order(id: ID!): Order }
        type Mutation {
          storefrontCustomerAccessTokenCreate: StorefrontCustomerAccessTokenCreatePayload
          customerUpdate(input: CustomerUpdateInput!): CustomerUpdatePayload
          customerAddressCreate(address: CustomerAddressInput! defaultAddress: Boolean): CustomerAddressCreatePayload
          customerAddressUpdate(addressId: ID! address: CustomerAddressInput defaultAddress: Boolean): CustomerAddressUpdatePayload
          customerAddressDelete(addressId: ID!): CustomerAddressDeletePayload
        }
        scalar DateTime
        scalar Decimal
        enum CurrencyCode
        enum OrderFinancialStatus { \(SandboxCustomers.financialStatuses.joined(separator: " ")) }
        enum OrderFulfillmentStatus { \(SandboxCustomers.fulfillmentStatuses.joined(separator: " ")) }
        enum OrderSortKeys { CREATED_AT ID ORDER_NUMBER PROCESSED_AT TOTAL_PRICE UPDATED_AT }
        enum UserErrorsCustomerAddressUserErrorsCode
        enum UserErrorsCustomerUserErrorsCode
        input CustomerUpdateInput { firstName: String lastName: String }
        input CustomerAddressInput {
          firstName: String lastName: String address1: String address2: String city: String company: String
          territoryCode: String phoneNumber: String zoneCode: String zip: String
        }
        type UserErrorsCustomerAddressUserErrors { code: UserErrorsCustomerAddressUserErrorsCode field: [String!] message: String! }
        type UserErrorsCustomerUserErrors { code: UserErrorsCustomerUserErrorsCode field: [String!] message: String! }
        type CustomerUpdatePayload { customer: Customer userErrors: [UserErrorsCustomerUserErrors!]! }
        type CustomerAddressCreatePayload { customerAddress: CustomerAddress userErrors: [UserErrorsCustomerAddressUserErrors!]! }
        type CustomerAddressUpdatePayload { customerAddress: CustomerAddress userErrors: [UserErrorsCustomerAddressUserErrors!]! }
        type CustomerAddressDeletePayload { deletedAddressId: ID userErrors: [UserErrorsCustomerAddressUserErrors!]! }
        type MoneyV2 { amount: Decimal! currencyCode: CurrencyCode! }
        enum CountryCode { \(StorefrontSchema.countries) }
        enum LanguageCode { \(languages) }
        enum EmailMarketingState { NOT_SUBSCRIBED SUBSCRIBED }
        scalar URL
        type Shop { id: ID! name: String! url: URL! }
        type Customer {
          id: ID! firstName: String lastName: String displayName: String! imageUrl: URL! tags: [String!]!
          creationDate: DateTime! emailAddress: CustomerEmailAddress phoneNumber: CustomerPhoneNumber
          defaultAddress: CustomerAddress
          addresses(\(StorefrontSchema.page) skipDefault: Boolean = false): CustomerAddressConnection!
          orders(\(StorefrontSchema.page) sortKey: OrderSortKeys = ID query: String): OrderConnection!
        }
        type CustomerEmailAddress { emailAddress: String marketingState: EmailMarketingState! }
        type CustomerPhoneNumber { phoneNumber: String! }
        type CustomerAddress {
          id: ID! firstName: String lastName: String name: String company: String address1: String address2: String
          city: String province: String zoneCode: String zip: String country: String territoryCode: CountryCode
          phoneNumber: String formatted(withName: Boolean = false withCompany: Boolean = true): [String!]!
        }
        type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
        \(StorefrontSchema.connections(["CustomerAddress", "Order", "LineItem"]))
        type Order {
          id: ID! name: String! number: Int! processedAt: DateTime! cancelledAt: DateTime
          financialStatus: OrderFinancialStatus fulfillmentStatus: OrderFulfillmentStatus! statusPageUrl: URL!
          subtotal: MoneyV2 totalShipping: MoneyV2! totalTax: MoneyV2 totalPrice: MoneyV2! totalRefunded: MoneyV2!
          shippingAddress: CustomerAddress
          lineItems(\(StorefrontSchema.page)): LineItemConnection!
        }
        type LineItem {
          id: ID! title: String! variantTitle: String sku: String quantity: Int! productId: ID variantId: ID
          price: MoneyV2 totalPrice: MoneyV2
        }
        enum UserErrorsStorefrontCustomerAccessTokenCreateUserErrorsCode { CUSTOMER_DOES_NOT_EXIST }
        type UserErrorsStorefrontCustomerAccessTokenCreateUserErrors {
          code: UserErrorsStorefrontCustomerAccessTokenCreateUserErrorsCode field: [String!] message: String!
        }
        type StorefrontCustomerAccessTokenCreatePayload {
          customerAccessToken: String userErrors: [UserErrorsStorefrontCustomerAccessTokenCreateUserErrors!]!
        }
        """

    static func customer(_ buyer: KnownBuyer, _ record: CustomerRecord) -> GraphNode {
        let account = buyer.account
        let name = [record.firstName, record.lastName].compactMap { $0 }.joined(separator: " ")
        return [
            "id": .text("gid://shopify/Customer/\(buyer.number)"), "firstName": .text(record.firstName),
            "lastName": .text(record.lastName), "displayName": .text(name.isEmpty ? account.email : name),
            "imageUrl": .text("https://cdn.example/avatar.png"), "tags": .list([]),
            "creationDate": .text("2026-01-01T00:00:00Z"),
            "emailAddress": ["emailAddress": .text(account.email), "marketingState": .text("NOT_SUBSCRIBED")],
            "phoneNumber": account.phone.isEmpty
                ? .null : ["phoneNumber": .text(account.phone)],
            "defaultAddress": record.defaultAddressNode,
            "addresses": record.addressNodes,
            "orders": record.orderNodes,
        ]
    }
}

extension SandboxCustomers {
    func customerAccountAPI(_ call: SandboxCall) -> SandboxResponse {
        shopify.journal.count(\.apiCalls)
        let request = call.request
        guard request.header("user-agent")?.isEmpty == false else {
            return NoticePages.accessDenied()
        }
        let version = request.path.split(separator: "/").dropLast().last.map(String.init) ?? ""
        guard let served = ShopifyVersions.serving(version) else {
            return .json(["errors": .string("Not Found")], status: 404)
        }
        return respond(to: request).with("X-Shopify-API-Version", served)
    }

    private func respond(to request: SandboxRequest) -> SandboxResponse {
        func unauthorized(_ message: String) -> SandboxResponse {
            .json(["errors": .array([.object(["message": .string(message)])])], status: 401)
        }
        guard let token = request.header("authorization"), token.hasPrefix("shcat_") else {
            return unauthorized("Invalid token, missing prefix shcat_.")
        }
        if let refusal = shopify.refusal(ofAPICall: request, accessToken: token) { return refusal }
        guard let buyer = shopify.buyer(forAccessToken: token) else {
            return unauthorized("Invalid token. Decode Error.")
        }
        guard request.method == "POST", let body = try? JSONValue(parsing: request.body),
            let schema = SandboxCustomerAccountAPI.schema
        else {
            return .json(["errors": .object(["query": .string("Required parameter missing or invalid")])], status: 400)
        }
        let shop: GraphNode = [
            "id": .text("gid://shopify/Shop/\(shopify.shopID)"), "name": .text("Sandbox"),
            "url": .text(shopify.platformOrigin),
        ]
        var mutations = customerMutations(buyer)
        mutations["storefrontCustomerAccessTokenCreate"] = { [self] _ in
            ["customerAccessToken": .text(exchange(token))]
        }
        let executor = GraphExecutor(
            schema: schema,
            queries: [
                "customer": { [self] _ in SandboxCustomerAccountAPI.customer(buyer, record(of: buyer)) },
                "shop": { _ in shop },
                "order": { [self] call in
                    let record = record(of: buyer)
                    let order = record.orders.first { $0.id == call.arguments["id"]?.string }
                    return order.map { $0.node(deliveredTo: record.defaultAddressNode) } ?? .null
                },
            ],
            mutations: mutations
        )
        return SandboxResponse.json(executor.run(body)).with("X-Request-Id", RandomText.hexadecimal(32))
    }
}
