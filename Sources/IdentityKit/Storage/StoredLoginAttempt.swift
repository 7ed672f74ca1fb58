public import FoundationEssentials

/// A pending login or logout as `SessionManager` passes it to a store.
public struct StoredLoginAttempt: Sendable {
    /// A hash of the `state`, so that a reader of the store does not learn the `state`; the key of a pending logout also has a prefix.
    public var key: String
    /// The tenant, empty if the app has only one.
    ///
    /// The maximum number of pending logins and logouts applies to each tenant, so that a flood of logins at one tenant does not affect the
    /// others.
    public var tenant: String
    /// When the login or logout expires; the store may remove it after that.
    public var expiresAt: Date
    /// The encoded attempt, which the store must seal.
    public var payload: Secret

    /// Creates a stored attempt.
    public init(key: String, tenant: String = "", expiresAt: Date, payload: Secret) {
        self.key = key
        self.tenant = tenant
        self.expiresAt = expiresAt
        self.payload = payload
    }
}
