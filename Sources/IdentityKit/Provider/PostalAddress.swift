/// A postal address for providers and carts; every part is optional.
public struct PostalAddress: Sendable, Equatable {
    /// The given name of the recipient.
    public var givenName: String?
    /// The family name of the recipient.
    public var familyName: String?
    /// The company.
    public var company: String?
    /// Street and number.
    public var line1: String?
    /// Apartment, floor or another addition to the street.
    public var line2: String?
    /// The city.
    public var city: String?
    /// The ISO 3166-2 subdivision without the country, for example `NY`.
    public var regionCode: String?
    /// The postal code.
    public var postalCode: String?
    /// The ISO 3166-1 alpha-2 country.
    public var countryCode: String?
    /// A phone number for the delivery, E.164.
    public var phone: String?

    /// Creates an address without any part.
    public init() {}
}
