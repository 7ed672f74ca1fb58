// Descriptions of types with personal data. Descriptions end up in logs, so they name the type and leave the data out.

extension Buyer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The issuer, without personal data.
    public var description: String { "Buyer(issuer: \(issuer), <private>)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Buyer.Contact: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whether the contact is verified, without the address or number.
    public var description: String { isVerified ? "<private, verified>" : "<private, not verified>" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PostalAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A constant text without personal data.
    public var description: String { "PostalAddress(<private>)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension BuyerContact: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A constant text without personal data.
    public var description: String { "BuyerContact(<private>)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension LoginOptions: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Scopes and `prompt`; the login hint and further parameters are left out because they may be personal.
    public var description: String {
        "LoginOptions(scopes: \(scopes?.joined(separator: " ") ?? "as configured"), prompt: \(prompt ?? "none given"))"
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension StoredSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The first characters of the id, the provider and the generation.
    public var description: String { "StoredSession(\(id), provider: \(provider), generation: \(generation))" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension SessionFilter: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The criteria, without the buyer.
    public var description: String {
        "SessionFilter(provider: \(provider ?? "any"), tenant: \(tenant ?? "any"), buyer: \(buyer == nil ? "any" : "<private>"))"
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension LogoutNotice: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The issuer, and whether the notice identifies a buyer or a session, without their identifiers.
    public var description: String {
        let names = [subject.map { _ in "a buyer" }, providerSessionID.map { _ in "a session" }].compactMap { $0 }
        return "LogoutNotice(issuer: \(issuer), names: \(names.joined(separator: " and ")))"
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
