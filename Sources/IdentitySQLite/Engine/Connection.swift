internal import CIdentitySQLite
internal import IdentityKit
internal import IdentityPlatform
internal import IdentityStoreKit

/// An open SQLite connection with its prepared statements; only one thread at a time may use it.
@safe
final class Connection {
    private let pointer: OpaquePointer
    private var statements: [Statement?] = Array(repeating: nil, count: Query.allCases.count)
    private var mark: CommitMark?
    /// Whether this connection may write when the file is in WAL mode, in which some SQLite versions can corrupt the file.
    ///
    /// Another process can switch the file to WAL mode while this connection is open.
    var mayUseLog = WriteAheadLog.isSafe(WriteAheadLog.libraryVersion)

    var attemptCounter = TenantRowCounter()
    var sessionCounter = TenantRowCounter()

    /// Opens an existing file; throws if the file does not exist.
    init(path: String, forWriting: Bool) throws(SQLiteFailure) {
        let flags =
            (forWriting ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
            | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
        var pointer: OpaquePointer?
        let result = unsafe sqlite3_open_v2(path, &pointer, flags, nil)
        guard result == SQLITE_OK, let pointer = unsafe pointer else {
            let systemError = unsafe pointer.map { unsafe sqlite3_system_errno($0) } ?? 0
            unsafe sqlite3_close_v2(pointer)
            throw SQLiteFailure(code: result, systemError: (result & 0xFF) == SQLITE_CANTOPEN ? systemError : 0)
        }
        unsafe self.pointer = pointer
    }

    deinit {
        statements.removeAll()
        unsafe sqlite3_close_v2(pointer)
    }

    var isReadOnly: Bool { unsafe sqlite3_db_readonly(pointer, "main") == 1 }

    func configure(_ option: Int32, _ isOn: Bool) throws(SQLiteFailure) {
        let result = unsafe identity_sqlite_configure(pointer, option, isOn ? 1 : 0)
        guard result == SQLITE_OK else { throw SQLiteFailure(code: result) }
    }

    /// Limits values and rows to `count` bytes, because a damaged file could otherwise cause an allocation of gigabytes.
    func limitValues(to count: Int32) {
        unsafe sqlite3_limit(pointer, SQLITE_LIMIT_LENGTH, count)
    }

    /// Runs SQL statements that are too rare to be kept prepared as a ``Query``.
    func execute(_ sql: String) throws(SQLiteFailure) {
        let result = unsafe sqlite3_exec(pointer, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw SQLiteFailure(code: result) }
    }

    /// Runs a SQL statement that is too rare to be kept prepared, and returns one column of each row.
    func texts(_ sql: String, column: Int32 = 0) throws(SQLiteFailure) -> [String] {
        let statement = try unsafe Statement(sql, on: pointer)
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text(column)) }
        return texts
    }

    // MARK: Prepared statements

    /// Runs a statement; returns the number of rows that the connection's last INSERT, UPDATE or DELETE changed.
    func run(_ query: Query, _ values: ColumnValue...) throws(SQLiteFailure) -> Int { try run(query, values) }

    func run(_ query: Query, _ values: [ColumnValue]) throws(SQLiteFailure) -> Int {
        let statement = try prepared(query)
        defer { statement.reset() }
        try statement.bind(values)
        while try statement.step() {}
        return unsafe Int(sqlite3_changes(pointer))
    }

    /// How many rows this connection has changed since it was opened.
    var changes: Int32 { unsafe sqlite3_total_changes(pointer) }

    func first<R>(_ query: Query, _ values: ColumnValue..., read: (Statement) -> R) throws(SQLiteFailure) -> R? {
        let statement = try prepared(query)
        defer { statement.reset() }
        try statement.bind(values)
        return try statement.step() ? read(statement) : nil
    }

    func all<R>(_ query: Query, _ values: ColumnValue..., read: (Statement) -> R) throws(SQLiteFailure) -> [R] {
        let statement = try prepared(query)
        defer { statement.reset() }
        try statement.bind(values)
        var rows: [R] = []
        while try statement.step() { rows.append(read(statement)) }
        return rows
    }

    private func prepared(_ query: Query) throws(SQLiteFailure) -> Statement {
        if let statement = statements[query.rawValue] { return statement }
        let statement = try unsafe Statement(query.sql, on: pointer)
        statements[query.rawValue] = statement
        return statement
    }

    // MARK: Transactions

    func transaction(_ body: () throws -> Void) throws {
        try begin()
        do {
            try body()
            try commit(pauses: 100)
        } catch {
            rollback()
            throw error
        }
    }

    /// Begins a write transaction (`BEGIN IMMEDIATE`).
    ///
    /// Throws a busy ``SQLiteFailure`` if another connection writes. Throws `configuration_invalid` if the file is in WAL mode and
    /// ``mayUseLog`` is false.
    func begin() throws {
        _ = try run(.begin)
        do {
            mark = try commitMark()
        } catch {
            rollback()
            throw error
        }
    }

    /// A value that shows later whether the open transaction was committed; nil if the value cannot be read.
    ///
    /// With a rollback journal, the value is the file's change counter: each commit that changes the file increments the counter. In WAL
    /// mode, a commit may leave the counter unchanged, so the transaction increments the column `store.commits`.
    private func commitMark() throws -> CommitMark? {
        guard let header = header() else { return nil }
        guard header.isWriteAheadLog else { return .counterBefore(header.counter) }
        guard mayUseLog else { throw WriteAheadLog.convertedFile }
        do {
            _ = try run(.countCommit)
        } catch {
            // SQLITE_ERROR means that the table `store` does not exist yet.
            guard error.primary == SQLITE_ERROR else { throw error }
            return nil
        }
        return try first(.readCommits) { .commitsAfter($0.integer(0)) }
    }

    private func header() -> (isWriteAheadLog: Bool, counter: UInt32)? {
        var isWriteAheadLog: Int32 = 0
        var counter: UInt32 = 0
        guard unsafe identity_sqlite_read_header(pointer, &isWriteAheadLog, &counter) == SQLITE_OK else { return nil }
        return (isWriteAheadLog != 0, counter)
    }

    func rollback() {
        // SQLite returns an error if it has already rolled back the transaction itself.
        _ = try? run(.rollback)
    }

    /// Commits the transaction, and waits while readers block the commit: up to 20 times 0.1 ms, then up to `pauses` times 2 ms.
    ///
    /// If an error of COMMIT ends the transaction, this method checks in the file whether the commit took effect. The method throws if the
    /// commit had no effect, or if the file does not show whether the commit took effect.
    func commit(pauses: Int) throws(SQLiteFailure) {
        var remaining = pauses
        var quickTries = 20
        while true {
            do {
                _ = try run(.commit)
                return
            } catch {
                if unsafe sqlite3_get_autocommit(pointer) == 0 {
                    // The transaction is still open, usually because a reader blocks the commit.
                    if error.isBusy, remaining > 0 {
                        // The first pauses are short, because readers of this process usually finish in microseconds. New readers cannot
                        // start, because this connection already has SQLite's PENDING lock.
                        let isFirst = quickTries > 0
                        if isFirst { quickTries -= 1 } else { remaining -= 1 }
                        usleep(isFirst ? 100 : 2_000)
                        continue
                    }
                    rollback()
                    throw error
                }
                guard hasCommitted() else { throw error }
                return
            }
        }
    }

    /// Whether the transaction took effect although its commit returned an error; false if the file does not show this.
    ///
    /// With a rollback journal, the read `touch` makes SQLite roll back an incomplete commit. After that, a new value of the change counter
    /// proves the commit: other processes cannot change the counter while this process holds the writer lock.
    private func hasCommitted() -> Bool {
        switch mark {
        case nil: false
        case .counterBefore(let before): (try? run(.touch)) != nil && header().map { $0.counter != before } ?? false
        case .commitsAfter(let after): (try? first(.readCommits) { $0.integer(0) }) == after
        }
    }

    // MARK: Copying

    func copy(to target: Connection) throws(SQLiteFailure) -> BackupCopy {
        try unsafe BackupCopy(from: (self, pointer), to: (target, target.pointer))
    }
}

/// The file's change counter before the commit, or the value of `store.commits` after it.
private enum CommitMark {
    case counterBefore(UInt32)
    case commitsAfter(Int64)
}
