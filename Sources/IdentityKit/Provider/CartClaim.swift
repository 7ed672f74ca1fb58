public import FoundationEssentials

/// What a session entitles a Storefront cart to know of the buyer.
public enum CartClaim: Sendable {
    /// A customer access token that signs the buyer in at checkout.
    case customer(CustomerAccessToken)
    /// Contact fields and addresses that prefill a guest checkout.
    case contact(BuyerContact)
    /// Nothing: the cart stays a guest's.
    case none
}

/// An access token that Shopify issued for its Customer Account API, the only kind that a cart accepts.
///
/// It is a type of its own so that no other provider's token reaches a cart by mistake.
public struct CustomerAccessToken: Sendable {
    /// The token, unchanged and without a `Bearer` prefix.
    public let token: Secret
    /// When it expires.
    public let expiresAt: Date?
    /// The issuer that it came from, which names the shop.
    public let issuer: String

    package init(token: Secret, expiresAt: Date?, issuer: String) {
        self.token = token
        self.expiresAt = expiresAt
        self.issuer = issuer
    }

    /// Takes a token whose origin the caller vouches for: it must come from Shopify's own token endpoint.
    public init(issuedByShopify token: Secret, expiresAt: Date?, issuer: String) {
        self.init(token: token, expiresAt: expiresAt, issuer: issuer)
    }
}

/// What may be prefilled for a buyer whom Shopify does not know.
public struct BuyerContact: Sendable, Equatable {
    /// The e-mail address; only a verified one belongs here.
    public var email: String?
    /// The phone number in E.164 form.
    public var phone: String?
    /// The ISO 3166-1 alpha-2 country.
    public var countryCode: String?
    /// Delivery addresses, the preferred one first.
    public var addresses: [PostalAddress]

    /// Creates contact fields.
    public init(
        email: String? = nil,
        phone: String? = nil,
        countryCode: String? = nil,
        addresses: [PostalAddress] = []
    ) {
        self.email = email
        self.phone = phone
        self.countryCode = countryCode
        self.addresses = addresses
    }
}
