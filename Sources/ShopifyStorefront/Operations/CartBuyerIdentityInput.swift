public import IdentityKit
public import ShopifyGraphQL

/// What a mutation says about the buyer (`CartBuyerIdentityInput`); what is left out keeps its value.
public struct CartBuyerIdentityInput: GraphQLWritable {
    /// The customer access token; of a type of its own, so that no other provider's token gets here.
    public var customerAccessToken: InputField<CustomerAccessToken>
    /// The e-mail address.
    public var email: InputField<String>
    /// The phone number, E.164.
    public var phone: InputField<String>
    /// The country, ISO 3166-1 alpha-2 in capitals.
    public var countryCode: InputField<String>
    /// The company location that a B2B buyer buys for; needs the customer access token.
    public var companyLocationID: InputField<String>

    /// An input that changes nothing unless told.
    public init(
        customerAccessToken: InputField<CustomerAccessToken> = .unset,
        email: InputField<String> = .unset,
        phone: InputField<String> = .unset,
        countryCode: InputField<String> = .unset,
        companyLocationID: InputField<String> = .unset
    ) {
        self.customerAccessToken = customerAccessToken
        self.email = email
        self.phone = phone
        self.countryCode = countryCode
        self.companyLocationID = companyLocationID
    }

    /// Takes everything personal off a cart: explicit nulls, because a field that is left out keeps its value.
    public static var detached: CartBuyerIdentityInput {
        CartBuyerIdentityInput(customerAccessToken: .null, email: .null, phone: .null, companyLocationID: .null)
    }

    /// The input as it is sent.
    public var graphQLValue: JSONValue { .object(object) }

    var object: JSONObject {
        var object = GraphQLInputObject()
        object.set("customerAccessToken", customerAccessToken)
        object.set("email", email)
        object.set("phone", phone)
        object.set("countryCode", countryCode)
        object.set("companyLocationId", companyLocationID)
        return object.json
    }
}

extension CustomerAccessToken: GraphQLWritable {
    /// The token itself, for a request's body only.
    public var graphQLValue: JSONValue { .string(token.reveal()) }
}
