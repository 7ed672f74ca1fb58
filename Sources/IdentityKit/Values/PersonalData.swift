// Descriptions of types with personal data. Descriptions get into logs, so they must not contain this data.

extension Buyer: Redacted {
    /// The issuer, without personal data.
    public var description: String { "Buyer(issuer: \(issuer), <private>)" }
}

extension Buyer.Contact: Redacted {
    /// Whether the contact is verified, without the address or number.
    public var description: String { isVerified ? "<private, verified>" : "<private, not verified>" }
}

extension PostalAddress: Redacted {
    /// A constant text without personal data.
    public var description: String { "PostalAddress(<private>)" }
}

extension BuyerContact: Redacted {
    /// A constant text without personal data.
    public var description: String { "BuyerContact(<private>)" }
}

extension LoginOptions: Redacted {
    /// Scopes and `prompt`; the other options, such as the login hint, are left out because they may be personal.
    public var description: String {
        "LoginOptions(scopes: \(scopes?.joined(separator: " ") ?? "as configured"), prompt: \(prompt ?? "none given"))"
    }
}

extension StoredSession: Redacted {
    /// The session's ``SessionReference``, its provider and its generation.
    public var description: String { "StoredSession(\(id), provider: \(provider), generation: \(generation))" }
}

extension SessionFilter: Redacted {
    /// The provider, the tenant, and whether the filter names a buyer, without the buyer's identifiers.
    public var description: String {
        "SessionFilter(provider: \(provider ?? "any"), tenant: \(tenant ?? "any"), buyer: \(buyer == nil ? "any" : "<private>"))"
    }
}

extension LogoutTokenClaims: Redacted {
    /// The issuer, and whether the token identifies a buyer or a session, without their identifiers.
    public var description: String {
        let names = [subject.map { _ in "a buyer" }, providerSessionID.map { _ in "a session" }].compactMap { $0 }
        return "LogoutTokenClaims(issuer: \(issuer), names: \(names.joined(separator: " and ")))"
    }
}
