public import IdentityKit

/// The scopes of Bolt's account API.
public enum BoltScope {
    /// Permits reading, editing and deleting the account.
    public static let manage = "bolt.account.manage"
    /// Permits only reading the account; a refresh requests this scope, unless Bolt named other scopes for the refresh token.
    public static let view = "bolt.account.view"
}

extension TokenSet {
    /// Whether these tokens may change the buyer's Bolt account; usually false after a refresh, until the buyer signs in again.
    public var canWrite: Bool { isGranted(BoltScope.manage) }
}

extension Session {
    /// Whether this session may change the buyer's Bolt account; usually false after a refresh, until the buyer signs in again.
    public var canWrite: Bool { scopes.contains { $0.isIdentical(to: BoltScope.manage) } }
}
