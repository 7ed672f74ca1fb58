/// The sessions that one manager shows to its callers: those that have not expired and belong to a tenant that the manager serves.
final class VisibleSessions: Sendable {
    let store: any SessionStore
    let providers: ProviderRegistry
    /// The only tenant that the manager serves; nil for all.
    let tenant: String?
    let lifetime: SessionLifetime

    init(store: any SessionStore, providers: ProviderRegistry, tenant: String?, lifetime: SessionLifetime) {
        self.store = store
        self.providers = providers
        self.tenant = tenant
        self.lifetime = lifetime
    }

    /// Loads a session; throws ``IdentityError/Code/sessionUnknown`` if the store has no visible session with this id.
    func load(_ id: SessionID) async throws -> DecodedSession {
        guard let stored = try await store.session(id), isVisible(stored) else { throw IdentityError.unknownSession }
        return DecodedSession(stored)
    }

    /// The sessions that match the filter and have not expired, without sessions that cannot be read or decoded.
    func matching(_ filter: SessionFilter) async throws -> [Session] {
        try await listing(filter).sessions.compactMap {
            guard !lifetime.hasExpired($0), let state = try? SessionState($0) else { return nil }
            return Session($0, state)
        }
    }

    /// The stored sessions that match the filter and belong to a tenant that the manager serves, also expired ones, oldest first.
    ///
    /// A filter for a buyer also finds the buyer's sessions under a provider's other ``ProviderDescriptor/equivalentIssuers``.
    func listing(_ filter: SessionFilter) async throws -> SessionListing {
        guard let filter = limited(filter) else { return SessionListing(sessions: []) }
        var listing = try await store.readable(filter)
        for other in underOtherIssuers(filter) {
            let found = try await store.readable(other)
            listing.sessions += found.sessions
            listing.damage = listing.damage ?? found.damage
        }
        return listing.oldestFirst
    }

    /// Returns one filter for every further issuer that a provider treats as equivalent to the issuer of the filter's buyer.
    private func underOtherIssuers(_ filter: SessionFilter) -> [SessionFilter] {
        guard let buyer = filter.buyer else { return [] }
        return providers.all.map(\.descriptor).flatMap { provider -> [SessionFilter] in
            guard filter.provider?.isIdentical(to: provider.name) ?? true,
                filter.equivalentsOf?.isIdentical(to: provider.name) ?? true,
                filter.tenant?.isIdentical(to: provider.tenant) ?? true
            else { return [] }
            return provider.issuers(sameAs: buyer.issuer).dropFirst().map { issuer in
                var other = filter
                other.provider = provider.name
                other.tenant = provider.tenant
                other.buyer = (issuer, buyer.subject)
                return other
            }
        }
    }

    func isVisible(_ session: StoredSession) -> Bool {
        serves(tenant: session.tenant) && !lifetime.hasExpired(session)
    }

    /// Whether this manager may complete a login or logout that began in a tenant at a provider.
    ///
    /// Apps that share a store may use one provider name for different tenants. So if this manager has a provider with this name, the
    /// provider must belong to the tenant.
    func serves(tenant: String, of provider: String) -> Bool {
        guard serves(tenant: tenant) else { return false }
        guard let descriptor = try? providers.provider(named: provider).descriptor else { return true }
        return descriptor.tenant.isIdentical(to: tenant)
    }

    func serves(tenant: String) -> Bool {
        self.tenant?.isIdentical(to: tenant) ?? true
    }

    /// Limits a filter to the manager's tenant; nil if the filter requests the sessions of another tenant.
    private func limited(_ filter: SessionFilter) -> SessionFilter? {
        guard let tenant else { return filter }
        guard filter.tenant?.isIdentical(to: tenant) ?? true else { return nil }
        var filter = filter
        filter.tenant = tenant
        return filter
    }
}

extension ProviderRegistry {
    func limited(to tenant: String) -> ProviderRegistry {
        ProviderRegistry(unique: all.filter { $0.descriptor.tenant.isIdentical(to: tenant) })
    }
}

/// A stored session whose payload is decoded once, when the object is created.
final class DecodedSession: Sendable {
    final class Decoded: Sendable {
        let state: SessionState
        let session: Session

        fileprivate init(_ stored: StoredSession) throws(IdentityError) {
            state = try SessionState(stored)
            session = Session(stored, state)
        }
    }

    let stored: StoredSession
    private let result: Result<Decoded, IdentityError>

    init(_ stored: StoredSession) {
        self.stored = stored
        result = Result { () throws(IdentityError) in try Decoded(stored) }
    }

    func decoded() throws(IdentityError) -> Decoded { try result.get() }
}
