extension StorefrontSchema {
    static let legacyQueries = "customer(customerAccessToken: String!): Customer"

    static let legacyMutations = """
          customerCreate(input: CustomerCreateInput!): CustomerCreatePayload
          customerUpdate(customer: CustomerUpdateInput! customerAccessToken: String!): CustomerUpdatePayload
          customerRecover(email: String!): CustomerRecoverPayload
          customerReset(id: ID! input: CustomerResetInput!): CustomerResetPayload
          customerResetByUrl(password: String! resetUrl: URL!): CustomerResetByUrlPayload
          customerActivate(id: ID! input: CustomerActivateInput!): CustomerActivatePayload
          customerActivateByUrl(activationUrl: URL! password: String!): CustomerActivateByUrlPayload
          customerAccessTokenCreate(input: CustomerAccessTokenCreateInput!): CustomerAccessTokenCreatePayload
          customerAccessTokenCreateWithMultipass(multipassToken: String!): CustomerAccessTokenCreateWithMultipassPayload
          customerAccessTokenRenew(customerAccessToken: String!): CustomerAccessTokenRenewPayload
          customerAccessTokenDelete(customerAccessToken: String!): CustomerAccessTokenDeletePayload
          customerAddressCreate(address: MailingAddressInput! customerAccessToken: String!): CustomerAddressCreatePayload
          customerAddressUpdate(address: MailingAddressInput! customerAccessToken: String! id: ID!): CustomerAddressUpdatePayload
          customerAddressDelete(customerAccessToken: String! id: ID!): CustomerAddressDeletePayload
          customerDefaultAddressUpdate(addressId: ID! customerAccessToken: String!): CustomerDefaultAddressUpdatePayload
        """

    static let legacyCustomerFields = """
         \(metafields)
          acceptsMarketing: Boolean! createdAt: DateTime! defaultAddress: MailingAddress
          addresses(\(page)): MailingAddressConnection!
          orders(\(page) query: String sortKey: OrderSortKeys = ID): OrderConnection!
        """

    static let legacyTypes = """
        input MailingAddressInput {
          address1: String address2: String city: String company: String country: String firstName: String lastName: String
          phone: String province: String zip: String
        }
        enum CustomerErrorCode
        enum OrderSortKeys { ID PROCESSED_AT TOTAL_PRICE }
        enum OrderFinancialStatus { AUTHORIZED PAID PARTIALLY_PAID PARTIALLY_REFUNDED PENDING REFUNDED VOIDED }
        enum OrderFulfillmentStatus { FULFILLED IN_PROGRESS ON_HOLD OPEN PARTIALLY_FULFILLED PENDING_FULFILLMENT RESTOCKED SCHEDULED UNFULFILLED }
        input CustomerCreateInput { acceptsMarketing: Boolean email: String! firstName: String lastName: String password: String! phone: String }
        input CustomerUpdateInput { acceptsMarketing: Boolean email: String firstName: String lastName: String password: String phone: String }
        input CustomerResetInput { password: String! resetToken: String! }
        input CustomerActivateInput { activationToken: String! password: String! }
        input CustomerAccessTokenCreateInput { email: String! password: String! }
        type UserError implements DisplayableError { field: [String!] message: String! }
        type CustomerUserError implements DisplayableError { code: CustomerErrorCode field: [String!] message: String! }
        type CustomerAccessToken { accessToken: String! expiresAt: DateTime! }
        \(payloads(["CustomerCreate", "CustomerDefaultAddressUpdate"], "customer: Customer customerUserErrors: [CustomerUserError!]!"))
        \(payloads(["CustomerUpdate", "CustomerReset", "CustomerResetByUrl", "CustomerActivate", "CustomerActivateByUrl"], "customer: Customer customerAccessToken: CustomerAccessToken customerUserErrors: [CustomerUserError!]!"))
        type CustomerRecoverPayload { customerUserErrors: [CustomerUserError!]! }
        \(payloads(["CustomerAccessTokenCreate", "CustomerAccessTokenCreateWithMultipass"], "customerAccessToken: CustomerAccessToken customerUserErrors: [CustomerUserError!]!"))
        type CustomerAccessTokenRenewPayload { customerAccessToken: CustomerAccessToken userErrors: [UserError!]! }
        type CustomerAccessTokenDeletePayload { deletedAccessToken: String deletedCustomerAccessTokenId: String userErrors: [UserError!]! }
        \(payloads(["CustomerAddressCreate", "CustomerAddressUpdate"], "customerAddress: MailingAddress customerUserErrors: [CustomerUserError!]!"))
        type CustomerAddressDeletePayload { deletedCustomerAddressId: String customerUserErrors: [CustomerUserError!]! }
        type OrderConnection { nodes: [Order!]! edges: [OrderEdge!]! pageInfo: PageInfo! totalCount: UnsignedInt64! }
        type Order implements HasMetafields & Node {
          \(metafields)
          id: ID! name: String! orderNumber: Int! processedAt: DateTime! canceledAt: DateTime
          financialStatus: OrderFinancialStatus fulfillmentStatus: OrderFulfillmentStatus! statusUrl: URL! totalPrice: MoneyV2!
        }

        """
}
