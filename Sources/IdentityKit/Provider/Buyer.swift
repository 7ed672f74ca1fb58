/// The person who signed in.
///
/// Issuer and subject together identify the person; the other members describe the person.
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
    /// Whether the name came through the browser without a signature, as with Sign in with Apple.
    ///
    /// The buyer may have changed the name, so base no decision on the name.
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

    /// Whether both values have the same issuer and subject, compared as bytes.
    public func isSamePerson(as other: Buyer) -> Bool {
        issuer.isIdentical(to: other.issuer) && subject.isIdentical(to: other.subject)
    }

    /// An e-mail address or phone number of the buyer.
    public struct Contact: Sendable, Equatable {
        /// The address or number.
        public var value: String
        /// Whether the provider states that it has verified the address or number.
        public var isVerified: Bool

        /// Creates a contact.
        public init(_ value: String, isVerified: Bool) {
            self.value = value
            self.isVerified = isVerified
        }
    }
}

extension Buyer {
    func write(to record: inout RecordWriter) {
        record.append("issuer", issuer)
        record.append("subject", subject)
        if let email { record.append("email") { email.write(to: &$0) } }
        if let phone { record.append("phone") { phone.write(to: &$0) } }
        record.append("given_name", givenName)
        record.append("family_name", familyName)
        record.append("display_name", displayName)
        if hasUnverifiedName { record.append("unverified_name", true) }
        record.append("addresses", addresses.isEmpty ? nil : .array(addresses.map(\.record)))
    }

    init?(record value: RecordReader) {
        guard let issuer = value["issuer"]?.string, let subject = value["subject"]?.string else { return nil }
        self.init(
            issuer: issuer,
            subject: subject,
            email: value["email"].flatMap { Contact(record: $0) },
            phone: value["phone"].flatMap { Contact(record: $0) },
            givenName: value["given_name"]?.string,
            familyName: value["family_name"]?.string,
            displayName: value["display_name"]?.string,
            addresses: (value["addresses"]?.json?.array ?? []).map { PostalAddress(record: $0) }
        )
        hasUnverifiedName = value["unverified_name"]?.bool == true
    }
}

extension Buyer.Contact {
    fileprivate func write(to record: inout RecordWriter) {
        record.append("value", value)
        record.append("verified", isVerified)
    }

    fileprivate init?(record value: RecordReader) {
        guard let text = value["value"]?.string else { return nil }
        self.init(text, isVerified: value["verified"]?.bool == true)
    }
}

extension PostalAddress {
    private static let parts: [(name: String, path: any WritableKeyPath<PostalAddress, String?> & Sendable)] = [
        ("given_name", \.givenName), ("family_name", \.familyName), ("company", \.company), ("line1", \.line1),
        ("line2", \.line2), ("city", \.city), ("region", \.regionCode), ("postal_code", \.postalCode),
        ("country", \.countryCode), ("phone", \.phone),
    ]

    fileprivate var record: JSONValue {
        var object = JSONObject()
        for (name, path) in Self.parts {
            object[name] = self[keyPath: path].map { .string($0) }
        }
        return .object(object)
    }

    fileprivate init(record value: JSONValue) {
        self.init()
        for (name, path) in Self.parts {
            self[keyPath: path] = value[name]?.string
        }
    }
}
