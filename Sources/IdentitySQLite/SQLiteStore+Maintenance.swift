internal import FoundationEssentials
internal import IdentityKit
public import IdentityStoreKit

extension SQLiteStore: RowQuarantining, StoreHealthChecking, StoreKeyRotating {
    var maintenance: RowMaintenance<Database> { RowMaintenance(database, records: records) }

    var loginMaintenance: RowMaintenance<LoginFile>? { logins.map { RowMaintenance($0, records: $0.records) } }

    /// Checks the structure of the whole database file, and decrypts the rows that are not in quarantine.
    ///
    /// In a large store this takes long, so run it when there is little load. With the rollback journal, saves of all processes wait while
    /// SQLite checks the file, and fail with `store_busy` after their `lockWait`. Reads continue if this store is open for writing.
    ///
    /// - Throws: `IdentityError` when the check cannot run, for example with code `store_busy` when the file is locked.
    public func checkHealth() async throws -> StoreHealth {
        var health = StoreHealth()
        // In a store that is open for writing, this read also rolls back the transaction of a crashed process. The read-only connection of
        // `problems(in:)` cannot roll it back.
        health.quarantinedRows = try await database.read { try $0.first(.countQuarantined) { Int($0.integer(0)) } ?? 0 }
        health.problems = try await database.problems(in: location)
        try await maintenance.checkRows(for: &health)
        try await loginMaintenance?.checkRows(for: &health)
        health.spooledSessions = try await spool.count()
        return health
    }

    /// Moves every damaged row into quarantine, and returns how many rows it moved.
    ///
    /// The table `quarantine` keeps every column that is needed to put the row back after the cause was repaired.
    /// `Documentation/Operating/SQLite.md` contains the statements.
    ///
    /// - Throws: `IdentityError`, for example with code `store_busy` or `store_full`. Rows that were moved before the error stay in
    ///   quarantine.
    public func quarantineDamagedRows() async throws -> Int {
        try await maintenance.quarantineDamagedRows() + (loginMaintenance?.quarantineDamagedRows() ?? 0)
    }

    /// The keys of this process and all other keys with which rows are encrypted: first the active key, then the others by id.
    ///
    /// Sessions in the spool count too, because reading them needs the key that encrypts them. Rows in quarantine do not count, although
    /// they stay encrypted with their keys.
    ///
    /// - Throws: `IdentityError` when the database, the file of pending logins or the spool cannot be read.
    public func keyUsage() async throws -> [StoreKeyUsage] {
        let others = try await (logins?.keyIDs() ?? []) + spool.keyIDs()
        return try await records.keyUsage(others: others) { kind, after in
            try await database.read { connection in
                try connection.all(kind.listKeys, .integer(after), .integer(512)) {
                    (start: $0.bytes(1), rows: 1, key: $0.integer(0))
                }
            }
        }
    }

    /// Encrypts the next rows again with the active key, except rows that already use this key or cannot be opened.
    ///
    /// A row keeps its generation and its length. Rows that this step cannot change count as postponed, for example sessions with a refresh
    /// in progress or in doubt, and rows that another call saves or removes during this step. The last step truncates the rollback journal,
    /// because the journal contains old records.
    ///
    /// - Throws: `IdentityError`, for example with code `store_busy`; a step that fails with kind `retryLater` can be repeated.
    public func resealRows(after position: ResealPosition?, limit: Int) async throws -> ResealProgress {
        let progress = try await resealNextRows(after: position, limit: limit)
        if progress.position == nil { try await database.truncateJournal() }
        return progress
    }

    private func resealNextRows(after position: ResealPosition?, limit: Int) async throws -> ResealProgress {
        // In a position, the file of pending logins counts as one more table after the tables of the database: table number `end`.
        let end = SealedRow.Kind.allCases.count
        let kind = SealedRow.Kind.loginAttempt.rawValue
        if let position, position.table == end {
            let own = ResealPosition(table: kind, row: position.row)
            var progress = try await loginMaintenance?.resealRows(after: own, limit: limit) ?? ResealProgress()
            progress.position = progress.position.flatMap {
                $0.table == kind ? ResealPosition(table: end, row: $0.row) : nil
            }
            return progress
        }
        var progress = try await maintenance.resealRows(after: position, limit: limit)
        if progress.position == nil, logins != nil { progress.position = ResealPosition(table: end, row: -1) }
        return progress
    }
}

extension Connection {
    func isQuarantined(_ hash: [UInt8], _ kind: SealedRow.Kind) throws -> Bool {
        try first(.isQuarantined, .key(hash), .bytes(hash), .text(kind.table)) { _ in true } != nil
    }

    /// Throws if a row is in quarantine, because the store must report the row as damaged and not as missing.
    func refuseQuarantined(_ hash: [UInt8], _ kind: SealedRow.Kind) throws {
        if try isQuarantined(hash, kind) { throw IdentityError.quarantined }
    }

    /// Copies a row to the table `quarantine`; false if the row does not exist or now has another record.
    func copyToQuarantine(
        _ kind: SealedRow.Kind,
        _ key: Int64,
        _ record: [UInt8],
        _ reason: IdentityError,
        at time: Date
    ) throws -> Bool {
        try run(kind.quarantine, .integer(key), .text(reason.message), .date(time), .bytes(record)) == 1
    }

    /// Reads the row with a hash; nil if the row does not exist; throws if the row is only in quarantine.
    func find<R>(_ query: Query, _ hash: [UInt8], _ kind: SealedRow.Kind, read: (Statement) -> R) throws -> R? {
        if let row = try first(query, .key(hash), read: read) { return row }
        try refuseQuarantined(hash, kind)
        // Outside of a transaction, an operator may have put the row back from quarantine after the first read. So the row is read again.
        return try first(query, .key(hash), read: read)
    }
}
