internal import FoundationEssentials
public import IdentityKit
public import ShopifyGraphQL

/// Legacy: what a Multipass token tells Shopify about a customer.
///
/// Printing, dumping or reflecting the value shows none of its data.
public struct MultipassCustomer: Sendable, GraphQLRedacted {
    /// The customer's e-mail address, by which Shopify finds or creates the account.
    ///
    /// Your server must have verified that the address belongs to the buyer: Shopify signs the buyer in to the account with this address.
    public var email: String
    /// The customer's id in your system.
    ///
    /// Set it for all customers or for none. Shopify rejects a token whose e-mail address belongs to a customer with another identifier.
    public var identifier: String?
    /// The given name.
    public var firstName: String?
    /// The family name.
    public var lastName: String?
    /// The tags that replace the account's tags; with nil, the account keeps its tags.
    public var tags: [String]?
    /// The buyer's IP address; if it is set, Shopify accepts the token from this address only.
    public var remoteIP: String?
    /// Addresses of the customer; the first one becomes the default address.
    public var addresses: [PostalAddress]

    /// Creates a customer; only the e-mail address is required.
    public init(
        email: String,
        identifier: String? = nil,
        firstName: String? = nil,
        lastName: String? = nil,
        tags: [String]? = nil,
        remoteIP: String? = nil,
        addresses: [PostalAddress] = []
    ) {
        self.email = email
        self.identifier = identifier
        self.firstName = firstName
        self.lastName = lastName
        self.tags = tags
        self.remoteIP = remoteIP
        self.addresses = addresses
    }

    func json(createdAt: Date, returnTo: String?) -> JSONObject {
        var json = Self.json([
            ("email", email), ("created_at", createdAt.formatted(.iso8601)), ("first_name", firstName),
            ("last_name", lastName), ("identifier", identifier), ("remote_ip", remoteIP),
            ("tag_string", tags?.joined(separator: ",")), ("return_to", returnTo),
        ])
        if !addresses.isEmpty {
            json["addresses"] = .array(
                addresses.enumerated().map { .object(Self.json(of: $1, isDefault: $0 == 0)) }
            )
        }
        return json
    }

    private static func json(of address: PostalAddress, isDefault: Bool) -> JSONObject {
        var json = json([
            ("first_name", address.givenName), ("last_name", address.familyName), ("company", address.company),
            ("address1", address.line1), ("address2", address.line2), ("city", address.city),
            ("province_code", address.regionCode), ("zip", address.postalCode),
            ("country_code", address.countryCode), ("phone", address.phone),
        ])
        if isDefault { json["default"] = .bool(true) }
        return json
    }

    private static func json(_ texts: [(name: String, value: String?)]) -> JSONObject {
        texts.reduce(into: JSONObject()) { json, text in json[text.name] = text.value.map { .string($0) } }
    }
}
