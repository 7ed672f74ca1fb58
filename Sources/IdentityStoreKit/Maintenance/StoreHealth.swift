/// The result of a health check of a store.
public struct StoreHealth: Sendable {
    /// The problems that the database's own check reports, at most 100 lines; empty if the check finds no problem.
    public var problems: [String] = []
    /// The number of stored sessions.
    public var sessions = 0
    /// The number of stored pending logins and logouts.
    public var loginAttempts = 0
    /// The number of attachments of sessions.
    public var attachments = 0
    /// The number of sessions, pending logins and logouts, and attachments that are damaged, or were moved from another row or store.
    public var damagedRows = 0
    /// The number of rows that are encrypted with a store key that this process does not have.
    public var rowsWithoutKey = 0
    /// The number of rows that are still encrypted with a read-only key.
    public var rowsUnderReadOnlyKeys = 0
    /// The number of rows in quarantine.
    public var quarantinedRows = 0
    /// The number of sessions in the spool that wait to be saved in the store.
    public var spooledSessions = 0
    /// The number of sessions with a refresh in progress or in doubt.
    public var sessionsInDoubt = 0

    /// Creates the report of an empty store.
    public init() {}

    /// Whether the database's own check found no problem, no row is damaged, and this process has the store key of every row.
    public var isSound: Bool { problems.isEmpty && damagedRows == 0 && rowsWithoutKey == 0 }
}

/// A store that can check its contents.
public protocol StoreHealthChecking: Sendable {
    /// Decrypts every row, and checks the database itself as far as the store can.
    ///
    /// In a large store this check takes long, so run it when there is little load.
    ///
    /// - Throws: `IdentityError` when the check cannot be completed, for example because the store cannot be read.
    func checkHealth() async throws -> StoreHealth
}
