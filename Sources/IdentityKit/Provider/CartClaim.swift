public import FoundationEssentials

/// The identity that a session can give to a Storefront cart.
public enum CartClaim: Sendable {
    /// A customer access token that signs the buyer in at checkout.
    case customer(CustomerAccessToken)
    /// Contact fields and addresses that prefill a guest checkout.
    case contact(BuyerContact)
    /// No identity: the cart stays a guest cart.
    case none
}

/// A token of Shopify that puts a buyer on a cart: a token of the Customer Account API, or the token of a legacy customer.
///
/// It is a separate type, so that an app cannot put another provider's token on a cart by mistake.
public struct CustomerAccessToken: Sendable {
    /// The token, unchanged and without a `Bearer` prefix.
    public let token: Secret
    /// When the token expires; nil if that is not known.
    public let expiresAt: Date?
    /// The issuer of the token, which identifies the shop.
    public let issuer: String

    /// Creates the value from a token that Shopify issued; the initializer does not check who issued the token.
    public init(issuedByShopify token: Secret, expiresAt: Date?, issuer: String) {
        self.token = token
        self.expiresAt = expiresAt
        self.issuer = issuer
    }
}

/// Contact data that prefills the checkout of a buyer without a Shopify login.
public struct BuyerContact: Sendable, Equatable {
    /// The e-mail address; must be a verified one.
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
