internal import IdentityKit
internal import ShopifyGraphQL

struct CustomerIdentityQuery: GraphQLOperation {
    static let document = GraphQLDocument(
        name: "CustomerIdentity",
        kind: .query,
        text: """
            query CustomerIdentity {
              customer {
                id
                firstName
                lastName
                displayName
                emailAddress { emailAddress }
                phoneNumber { phoneNumber }
              }
            }
            """
    )

    var variables: GraphQLInputObject { GraphQLInputObject() }

    static func output(_ data: GraphQLNode) throws(GraphQLReadingError) -> CustomerIdentity? {
        try data.field("customer")
    }
}

/// The buyer's data in the Customer Account API; protected customer data are nil if Shopify has not approved the app for them.
struct CustomerIdentity: GraphQLReadable, GraphQLRedacted {
    let firstName: String?
    let lastName: String?
    let displayName: String?
    let email: String?
    let phone: String?

    init(_ node: GraphQLNode) throws(GraphQLReadingError) {
        func text(_ value: String?) -> String? { value.flatMap { $0.isEmpty ? nil : $0 } }
        func contact(_ name: String) throws(GraphQLReadingError) -> String? {
            let object = try node.member(name)
            return object.isNull ? nil : text(try object.field(name))
        }
        firstName = text(try node.field("firstName"))
        lastName = text(try node.field("lastName"))
        displayName = text(try node.field("displayName"))
        email = try contact("emailAddress")
        phone = try contact("phoneNumber")
    }

    /// Returns the ID token's buyer with the values of this response; a value that is nil in this response is not changed.
    func buyer(_ verified: Buyer) -> Buyer {
        // The Customer Account API does not say whether an e-mail address or phone number is verified. So a value that differs from the
        // value in the ID token counts as unverified.
        func contact(_ value: String?, _ known: Buyer.Contact?) -> Buyer.Contact? {
            guard let value, known.map({ !$0.value.isIdentical(to: value) }) ?? true else { return known }
            return Buyer.Contact(value, isVerified: false)
        }
        var buyer = verified
        buyer.email = contact(email, verified.email)
        buyer.phone = contact(phone, verified.phone)
        buyer.givenName = firstName ?? verified.givenName
        buyer.familyName = lastName ?? verified.familyName
        buyer.displayName = displayName ?? verified.displayName
        return buyer
    }
}
