public import IdentityKit

/// The scopes of Bolt's account API.
public enum BoltScope {
    /// Permits reading, editing and deleting the account.
    public static let manage = "bolt.account.manage"
    /// Permits only reading the account.
    public static let view = "bolt.account.view"
}

extension TokenSet {
    /// Whether these tokens may change the buyer's Bolt account: Bolt granted ``BoltScope/manage``.
    ///
    /// A refresh requests only ``BoltScope/view``, unless Bolt named other scopes for the refresh token. If the value is false after a
    /// refresh, the buyer has to sign in again.
    public var canWrite: Bool { isGranted(BoltScope.manage) }
}

extension Session {
    /// Whether this session may change the buyer's Bolt account; see `TokenSet.canWrite`.
    public var canWrite: Bool { scopes.contains { $0.isIdentical(to: BoltScope.manage) } }
}
