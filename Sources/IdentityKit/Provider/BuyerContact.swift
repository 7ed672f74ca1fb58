/// Contact data that prefills the checkout of a buyer without a Shopify login.
public struct BuyerContact: Sendable, Equatable {
    /// The e-mail address; pass only an address that the provider has verified.
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
