public import IdentityKit

/// The scopes of Bolt's account API.
public enum BoltScope {
    /// Read, edit and delete.
    public static let manage = "bolt.account.manage"
    /// Read only: what every refreshed token has.
    public static let view = "bolt.account.view"
}

extension TokenSet {
    /// Whether Bolt lets these tokens change the buyer's account; after a refresh it does not, until the next login.
    public var canWrite: Bool { isGranted(BoltScope.manage) }
}

extension Session {
    /// Whether Bolt lets this session change the buyer's account; after a refresh it does not, until the next login.
    public var canWrite: Bool { scopes.contains { $0.isIdentical(to: BoltScope.manage) } }
}
