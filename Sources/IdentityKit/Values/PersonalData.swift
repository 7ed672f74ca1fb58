// Who a buyer is belongs into no log: these types say what they are and what they have, not what it is.

extension Buyer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The issuer; nothing about the person.
    public var description: String { "Buyer(issuer: \(issuer), <private>)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Buyer.Contact: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whether it is verified.
    public var description: String { isVerified ? "<private, verified>" : "<private, not verified>" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PostalAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same words.
    public var description: String { "PostalAddress(<private>)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension BuyerContact: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same words.
    public var description: String { "BuyerContact(<private>)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension LoginOptions: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What was asked for, without the login hint and the values of further parameters.
    public var description: String {
        "LoginOptions(scopes: \(scopes?.joined(separator: " ") ?? "as configured"), prompt: \(prompt ?? "none given"))"
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension StoredSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The id's first characters, provider and generation.
    public var description: String { "StoredSession(\(id), provider: \(provider), generation: \(generation))" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension SessionFilter: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What is filtered by; not which buyer.
    public var description: String {
        "SessionFilter(provider: \(provider ?? "any"), tenant: \(tenant ?? "any"), buyer: \(buyer == nil ? "any" : "<private>"))"
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension LogoutNotice: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The issuer, and what the notice names; not whom.
    public var description: String {
        let names = [subject.map { _ in "a buyer" }, providerSessionID.map { _ in "a session" }].compactMap { $0 }
        return "LogoutNotice(issuer: \(issuer), names: \(names.joined(separator: " and ")))"
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
