/// One key of a store, with its role and the number of rows that are encrypted with it.
public struct StoreKeyUsage: Sendable, Equatable {
    /// The role of a key in this process.
    public enum Role: String, Sendable {
        /// Encrypts new records, and decrypts records that were encrypted with it.
        case active
        /// Only decrypts records.
        case readOnly = "read_only"
        /// Rows are encrypted with the key, but this process does not have the key.
        case missing
    }

    /// The id of the key (``StoreKey/id``).
    public var id: String
    /// The role of the key in this process.
    public var role: Role
    /// The number of rows that are encrypted with the key; `SQLiteStore` and `PostgresStore` also count the sessions in the spool.
    public var rows: Int

    /// Creates a value.
    public init(id: String, role: Role, rows: Int) {
        self.id = id
        self.role = role
        self.rows = rows
    }
}

/// A store that can encrypt its rows with another key while it is in use.
public protocol StoreKeyRotating: Sendable {
    /// The keys of this process and all other keys with which rows are encrypted: first the active key, then the others by id.
    func keyUsage() async throws -> [StoreKeyUsage]

    /// Encrypts the next rows again with the active key, except rows that already use this key or cannot be opened.
    ///
    /// Sessions with a refresh in progress or in doubt are not changed. If ``ResealProgress/postponed`` of a step is not 0, start a new
    /// rotation later. It is safe to stop between two steps. To undo a rotation, make the old key the active key and rotate again.
    ///
    /// - Parameters:
    ///   - position: The ``ResealProgress/position`` of the previous step's result; nil for the first step.
    ///   - limit: The maximum number of rows to examine. With a small number, such as 100, other callers do not wait long for the store.
    /// - Returns: How many rows were encrypted, postponed and unreadable, and where to continue.
    /// - Throws: `IdentityError` of the store.
    func resealRows(after position: ResealPosition?, limit: Int) async throws -> ResealProgress
}

/// The position at which a step of a key rotation ended; pass it to the next step.
public struct ResealPosition: Sendable, Equatable {
    /// The number of the table in which the next step continues.
    ///
    /// ``RowMaintenance`` uses the raw value of ``SealedRow/Kind``. A store may use other numbers for further tables.
    public var table: Int
    /// The primary key of the last row that was read in this table; -1 before the first row.
    public var row: Int64

    /// Creates a position.
    public init(table: Int, row: Int64) {
        self.table = table
        self.row = row
    }
}

/// The result of one step of a key rotation.
public struct ResealProgress: Sendable {
    /// The number of rows that were encrypted with the active key.
    public var resealed: Int
    /// The number of rows that were not changed, because a refresh is in progress or in doubt, or because another call saved or removed
    /// the row after it was read.
    public var postponed: Int
    /// The number of rows that could not be opened, because their key is missing or they are damaged; they were not changed.
    public var unreadable: Int
    /// The start of the next step; nil after the last step.
    public var position: ResealPosition?

    /// Creates a value.
    public init(resealed: Int = 0, postponed: Int = 0, unreadable: Int = 0, position: ResealPosition? = nil) {
        self.resealed = resealed
        self.postponed = postponed
        self.unreadable = unreadable
        self.position = position
    }

    package static func += (total: inout ResealProgress, step: ResealProgress) {
        total.resealed += step.resealed
        total.postponed += step.postponed
        total.unreadable += step.unreadable
        total.position = step.position
    }
}
