/// What a health check found in a store.
public struct StoreHealth: Sendable {
    /// What the database's own integrity check reports, at most 100 lines; empty for a sound one.
    public var problems: [String] = []
    /// How many sessions are stored.
    public var sessions = 0
    /// How many pending logins are stored.
    public var loginAttempts = 0
    /// How many things are attached to sessions.
    public var attachments = 0
    /// How many of all these rows are damaged, or were moved or sealed elsewhere.
    public var damagedRows = 0
    /// How many rows were sealed under a key that this process does not have.
    public var rowsWithoutKey = 0
    /// How many rows are still sealed under a read-only key.
    public var rowsUnderReadOnlyKeys = 0
    /// How many rows are in quarantine.
    public var quarantinedRows = 0
    /// How many sessions wait in the second place for the store to take them.
    public var spooledSessions = 0
    /// How many sessions have a renewal under way or in doubt.
    public var unsettledSessions = 0

    /// A report of a store without rows.
    public init() {}

    /// Whether nothing is wrong.
    public var isSound: Bool { problems.isEmpty && damagedRows == 0 && rowsWithoutKey == 0 }
}

/// A store that can check everything in it.
public protocol StoreHealthChecking: Sendable {
    /// Checks the whole store and opens every row: work for a quiet hour where the store is large.
    ///
    /// - Throws: ``IdentityError`` when the store cannot be read far enough to check it.
    func checkHealth() async throws -> StoreHealth
}

/// A store that can set damaged rows aside, so that they are in nobody's way; nothing is deleted for being damaged.
public protocol RowQuarantining: Sendable {
    /// Moves every row that is damaged into quarantine, where a sweep removes it after 30 days.
    ///
    /// Rows under a key that this process does not have stay where they are: they are not damaged. A session in quarantine is still
    /// answered as ``IdentityError/Code/storeCorrupt``, never as unknown.
    ///
    /// - Returns: How many rows were moved.
    func quarantineDamagedRows() async throws -> Int
}

/// One key of a store, as a report shows it.
public struct StoreKeyUsage: Sendable, Equatable {
    /// What a key is to this process.
    public enum Role: String, Sendable {
        /// Seals what is saved.
        case active
        /// Opens what was sealed before.
        case readOnly = "read_only"
        /// Seals rows, and this process does not have it.
        case missing
    }

    /// ``StoreKey/id``.
    public var id: String
    /// What the key is to this process.
    public var role: Role
    /// How many rows are sealed under it.
    public var rows: Int

    /// Creates a value.
    public init(id: String, role: Role, rows: Int) {
        self.id = id
        self.role = role
        self.rows = rows
    }
}

/// A store whose rows can be sealed anew under another key while it is in use.
public protocol StoreKeyRotating: Sendable {
    /// The keys of this process and of the rows: the active one first, then by id.
    func keyUsage() async throws -> [StoreKeyUsage]

    /// Seals the next rows under the active key that are not yet, and tells how it went.
    ///
    /// Sessions with a renewal under way are left for a later call. Stopping between two calls loses nothing, and a change of the
    /// active key undoes the rotation.
    ///
    /// - Parameters:
    ///   - position: Where the last call ended; nil to begin.
    ///   - limit: How many rows to look at, 100 is a good number: others get their turn between two calls.
    /// - Returns: The numbers of rows, and where to continue.
    /// - Throws: `IdentityError` of the store.
    func resealRows(after position: ResealPosition?, limit: Int) async throws -> ResealProgress
}

/// Where a rotation of keys has come to, to be handed back and to be understood by the store alone.
public struct ResealPosition: Sendable, Equatable {
    /// Which kind of row.
    public var table: Int
    /// The last row's key.
    public var row: Int64

    /// Creates a position.
    public init(table: Int, row: Int64) {
        self.table = table
        self.row = row
    }
}

/// What one step of a rotation of keys did.
public struct ResealProgress: Sendable {
    /// How many rows were sealed anew.
    public var resealed: Int
    /// How many rows were left because a renewal is under way, or were changed at the same moment.
    public var postponed: Int
    /// How many rows cannot be opened, for want of a key or for damage; they were left as they are.
    public var unreadable: Int
    /// Where to go on; nil at the end.
    public var position: ResealPosition?

    /// Creates a value.
    public init(resealed: Int = 0, postponed: Int = 0, unreadable: Int = 0, position: ResealPosition? = nil) {
        self.resealed = resealed
        self.postponed = postponed
        self.unreadable = unreadable
        self.position = position
    }
}
