/// The person who signed in.
///
/// Issuer and subject together are the identity; the other members describe the person.
public struct Buyer: Sendable, Equatable {
    /// The issuer that authenticated the buyer.
    public var issuer: String
    /// The buyer's identifier at the issuer, compared as bytes and never reassigned (OpenID Connect Core section 2).
    public var subject: String
    /// The e-mail address, if known.
    public var email: Contact?
    /// The phone number, if known.
    public var phone: Contact?
    /// The given name.
    public var givenName: String?
    /// The family name.
    public var familyName: String?
    /// The name to show.
    public var displayName: String?
    /// Whether the name came through the browser without a signature, so that the buyer may have written any name.
    ///
    /// Sign in with Apple sends the name only in this way. You may show it, but base no decision on it.
    public var hasUnverifiedName = false
    /// The addresses that the provider offers, the preferred one first.
    public var addresses: [PostalAddress]

    /// Creates a buyer.
    public init(
        issuer: String,
        subject: String,
        email: Contact? = nil,
        phone: Contact? = nil,
        givenName: String? = nil,
        familyName: String? = nil,
        displayName: String? = nil,
        addresses: [PostalAddress] = []
    ) {
        self.issuer = issuer
        self.subject = subject
        self.email = email
        self.phone = phone
        self.givenName = givenName
        self.familyName = familyName
        self.displayName = displayName
        self.addresses = addresses
    }

    /// Whether two values identify the same person: issuer and subject are equal byte for byte.
    public func isSamePerson(as other: Buyer) -> Bool {
        issuer.isIdentical(to: other.issuer) && subject.isIdentical(to: other.subject)
    }

    /// An e-mail address or phone number of the buyer.
    public struct Contact: Sendable, Equatable {
        /// The address or number.
        public var value: String
        /// Whether the provider states that it has verified the address or number; only a JSON `true` counts.
        public var isVerified: Bool

        /// Creates a contact.
        public init(_ value: String, isVerified: Bool) {
            self.value = value
            self.isVerified = isVerified
        }
    }
}

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

    /// An address without any part.
    public init() {}
}
