public import FoundationEssentials

/// A pending login or logout as `SessionManager` passes it to a store.
public struct StoredLoginAttempt: Sendable {
    /// The key: for a login, a hash of the `state`, which does not reveal the `state`; for a logout, a prefix and this hash.
    public var key: String
    /// The tenant, empty if the app has only one.
    ///
    /// A store applies its maximum number of pending logins and logouts to each tenant separately. With one limit for all tenants, a flood
    /// of logins at one tenant would evict the logins of other tenants.
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
