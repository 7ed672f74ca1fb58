internal import CIdentitySQLite
internal import Glibc
internal import IdentityKit

/// One open SQLite database and its prepared statements; used by one thread at a time.
@safe
final class Connection {
    private let pointer: OpaquePointer
    private var statements: [Statement?] = Array(repeating: nil, count: Query.allCases.count)
    private var counterAtBegin: UInt32?

    /// How many pending logins were added since they were last counted.
    var attemptsSinceCount = Int.max

    /// Opens a file that exists.
    init(path: String, forWriting: Bool) throws(SQLiteFailure) {
        let flags =
            (forWriting ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
            | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
        var pointer: OpaquePointer?
        let result = unsafe sqlite3_open_v2(path, &pointer, flags, nil)
        guard result == SQLITE_OK, let pointer = unsafe pointer else {
            unsafe sqlite3_close_v2(pointer)
            throw SQLiteFailure(code: result)
        }
        unsafe self.pointer = pointer
    }

    deinit {
        statements.removeAll()
        unsafe sqlite3_close_v2(pointer)
    }

    /// Whether SQLite could open the file for reading only.
    var isReadOnly: Bool { unsafe sqlite3_db_readonly(pointer, "main") == 1 }

    func configure(_ option: Int32, _ isOn: Bool) throws(SQLiteFailure) {
        let result = unsafe identity_sqlite_configure(pointer, option, isOn ? 1 : 0)
        guard result == SQLITE_OK else { throw SQLiteFailure(code: result) }
    }

    /// Caps the size of one value, so that a damaged or hostile file cannot make us allocate gigabytes.
    func limitValues(to count: Int32) {
        unsafe sqlite3_limit(pointer, SQLITE_LIMIT_LENGTH, count)
    }

    /// Runs SQL that is not worth keeping prepared.
    func execute(_ sql: String) throws(SQLiteFailure) {
        let result = unsafe sqlite3_exec(pointer, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw SQLiteFailure(code: result) }
    }

    /// Runs SQL that is not worth keeping prepared and gives the first column of each row.
    func texts(_ sql: String) throws(SQLiteFailure) -> [String] {
        let statement = try unsafe Statement(sql, on: pointer)
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text(0)) }
        return texts
    }

    // MARK: Prepared statements

    /// Changes rows and tells how many.
    func run(_ query: Query, _ values: Value...) throws(SQLiteFailure) -> Int {
        let statement = try prepared(query)
        defer { statement.reset() }
        try statement.bind(values)
        while try statement.step() {}
        return unsafe Int(sqlite3_changes(pointer))
    }

    /// The first row.
    func first<R>(_ query: Query, _ values: Value..., read: (Statement) -> R) throws(SQLiteFailure) -> R? {
        let statement = try prepared(query)
        defer { statement.reset() }
        try statement.bind(values)
        return try statement.step() ? read(statement) : nil
    }

    /// Every row.
    func all<R>(_ query: Query, _ values: Value..., read: (Statement) -> R) throws(SQLiteFailure) -> [R] {
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

    /// Begins a transaction that will write; fails as busy when another connection writes.
    func begin() throws(SQLiteFailure) {
        _ = try run(.begin)
        var counter: UInt32 = 0
        counterAtBegin = unsafe identity_sqlite_change_counter(pointer, &counter) == SQLITE_OK ? counter : nil
    }

    func rollback() {
        // Fails when SQLite has rolled back on its own, which is what was wanted.
        _ = try? run(.rollback)
    }

    /// Commits.
    ///
    /// Readers of other connections are waited for, then an error is not taken for an answer: whether the transaction
    /// happened is read from the file.
    ///
    /// - Parameter pauses: How often to wait for readers, a few milliseconds each.
    func commit(pauses: Int) throws(SQLiteFailure) {
        var remaining = pauses
        while true {
            do {
                _ = try run(.commit)
                return
            } catch {
                // Still inside the transaction: only a reader was in the way, and nothing has happened.
                if unsafe sqlite3_get_autocommit(pointer) == 0 {
                    if error.isBusy, remaining > 0 {
                        remaining -= 1
                        usleep(2_000)
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

    /// An I/O error of a commit may come after the transaction has taken effect.
    ///
    /// The first read plays back what is half done; then the file's change counter, which every commit raises, tells. Nobody
    /// else of ours can have written in between, the writer lock is still held.
    private func hasCommitted() -> Bool {
        guard let before = counterAtBegin, (try? run(.touch)) != nil else { return false }
        var after: UInt32 = 0
        return unsafe identity_sqlite_change_counter(pointer, &after) == SQLITE_OK && after != before
    }
}
