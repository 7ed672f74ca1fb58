public import FoundationEssentials

/// A pending login or logout as `SessionManager` passes it to a store.
public struct StoredLoginAttempt: Sendable {
    /// The key: a hash of the `state`, so that a reader of the store does not learn the `state`; for a pending logout, with a prefix.
    public var key: String
    /// The tenant, empty if the app has only one.
    ///
    /// A store applies its maximum number of pending logins and logouts to each tenant. Otherwise a flood of logins at one tenant would
    /// affect the other tenants.
    public var tenant: String
    /// When the login or logout expires; the store may remove it after this time.
    public var expiresAt: Date
    /// The encoded login or logout, which the store must encrypt.
    public var payload: Secret

    /// Creates a pending login or logout for a store.
    public init(key: String, tenant: String = "", expiresAt: Date, payload: Secret) {
        self.key = key
        self.tenant = tenant
        self.expiresAt = expiresAt
        self.payload = payload
    }
}
