/// What a manager that knows one tenant only makes of the others.
extension SessionManager {
    /// Whether a session exists for the callers of this manager: it belongs to the tenant that the manager serves, and its time is
    /// not over.
    func isKnown(_ session: StoredSession) -> Bool {
        isOurs(session) && !lifetime.isOver(session)
    }

    /// Whether a session belongs to the tenant that this manager serves.
    func isOurs(_ session: StoredSession) -> Bool {
        isOurs(tenant: session.tenant)
    }

    /// Whether a login or logout that began in a tenant may end at a provider of this manager.
    ///
    /// Shops that share a store may call their providers the same, each in a registry of its own.
    func isOurs(tenant: String, of provider: String) -> Bool {
        guard isOurs(tenant: tenant) else { return false }
        guard let descriptor = try? providers.provider(named: provider).descriptor else { return true }
        return descriptor.tenant.isIdentical(to: tenant)
    }

    /// Whether this manager serves a tenant.
    private func isOurs(tenant: String) -> Bool {
        configuration.tenant?.isIdentical(to: tenant) ?? true
    }

    /// A filter for sessions of this manager's tenant; nil when it asks for those of another.
    func pinned(_ filter: SessionFilter) -> SessionFilter? {
        guard let tenant = configuration.tenant else { return filter }
        guard filter.tenant?.isIdentical(to: tenant) ?? true else { return nil }
        var filter = filter
        filter.tenant = tenant
        return filter
    }
}

extension ProviderRegistry {
    /// The providers of one tenant.
    func limited(to tenant: String) -> ProviderRegistry {
        ProviderRegistry(unique: all.filter { $0.descriptor.tenant.isIdentical(to: tenant) })
    }
}
