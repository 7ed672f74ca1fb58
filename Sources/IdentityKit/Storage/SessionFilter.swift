/// The conditions that the sessions of a list must meet; a property that is nil sets no condition.
public struct SessionFilter: Sendable {
    /// The name of the session's provider.
    public var provider: String?
    /// The tenant to which the session belongs.
    public var tenant: String?
    /// The buyer, by issuer and subject.
    public var buyer: (issuer: String, subject: String)?
    /// The provider's session id.
    public var providerSessionID: String?
    /// Whether a refresh of the session is unfinished (``StoredSession/isInDoubt``).
    public var isInDoubt: Bool?
    /// The provider whose ``ProviderDescriptor/equivalentIssuers`` also match ``buyer``; if nil, the lists of all providers are used.
    ///
    /// Stores ignore this property, because ``SessionManager`` calls the store separately for each equivalent issuer.
    var equivalentsOf: String?

    /// Creates a filter; without arguments it matches every session.
    public init(
        provider: String? = nil,
        tenant: String? = nil,
        buyer: (issuer: String, subject: String)? = nil,
        providerSessionID: String? = nil,
        isInDoubt: Bool? = nil
    ) {
        self.provider = provider
        self.tenant = tenant
        self.buyer = buyer
        self.providerSessionID = providerSessionID
        self.isInDoubt = isInDoubt
    }

    /// Creates a filter for the sessions of the session's buyer in the session's tenant, at every provider.
    ///
    /// Only at the session's own provider, ``SessionManager`` also finds sessions under ``ProviderDescriptor/equivalentIssuers``.
    package init(buyerOf session: Session) {
        self.init(tenant: session.tenant, buyer: session.storedBuyer)
        equivalentsOf = session.provider
    }

    /// Whether a session matches; texts are compared as bytes.
    public func matches(_ session: StoredSession) -> Bool {
        provider.map { $0.isIdentical(to: session.provider) } ?? true
            && tenant.map { $0.isIdentical(to: session.tenant) } ?? true
            && buyer.map { $0.issuer.isIdentical(to: session.issuer) && $0.subject.isIdentical(to: session.subject) }
                ?? true
            && providerSessionID.map { session.providerSessionID?.isIdentical(to: $0) ?? false } ?? true
            && isInDoubt.map { $0 == session.isInDoubt } ?? true
    }
}
