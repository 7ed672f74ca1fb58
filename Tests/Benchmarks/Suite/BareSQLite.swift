internal import CIdentitySQLite
internal import IdentityCrypto

/// Saves and reads of rows through SQLite's C interface alone, for comparison with `SQLiteStore`.
///
/// It uses one connection and one thread. The size of the rows, the journal, the synchronization and the cipher are those of the store.
@safe
final class BareSQLite {
    private let database: OpaquePointer
    private let update: OpaquePointer
    private let insert: OpaquePointer
    private let select: OpaquePointer
    private let key: SecretBytes
    private let nonce = [UInt8](repeating: 7, count: AESGCM.nonceCount)
    // Changes each record, because SQLite does not write a page whose bytes have not changed.
    private var padding: UInt8 = 0
    let slot: Int

    struct Failure: Error {
        let code: Int32
    }

    init(path: String, slot: Int) throws {
        self.slot = slot
        key = SecretBytes([UInt8](repeating: 3, count: AESGCM.keyCount))
        var pointer: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let opened = unsafe sqlite3_open_v2(path, &pointer, flags, nil)
        guard opened == SQLITE_OK, let database = unsafe pointer else { throw Failure(code: opened) }
        unsafe self.database = database
        unsafe sqlite3_busy_timeout(database, 5_000)
        let setup = """
            PRAGMA page_size = 8192; PRAGMA journal_mode = PERSIST; PRAGMA synchronous = FULL; PRAGMA cache_size = -4096;
            PRAGMA secure_delete = ON;
            CREATE TABLE IF NOT EXISTS session (
                key INTEGER PRIMARY KEY, hash BLOB NOT NULL, generation INTEGER NOT NULL, slot BLOB NOT NULL);
            """
        let result = unsafe sqlite3_exec(database, setup, nil, nil, nil)
        guard result == SQLITE_OK else { throw Failure(code: result) }
        unsafe update = try Self.prepare(
            database,
            "UPDATE session SET generation = generation + 1, slot = ?2 WHERE key = ?1"
        )
        unsafe insert = try Self.prepare(
            database,
            "INSERT INTO session (key, hash, generation, slot) VALUES (?1, ?3, 1099511627776, ?2)"
        )
        unsafe select = try Self.prepare(database, "SELECT generation, slot FROM session WHERE key = ?1")
    }

    deinit {
        unsafe sqlite3_finalize(update)
        unsafe sqlite3_finalize(insert)
        unsafe sqlite3_finalize(select)
        unsafe sqlite3_close_v2(database)
    }

    private static func prepare(_ database: OpaquePointer, _ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        let result = unsafe sqlite3_prepare_v2(database, sql, -1, &statement, nil)
        guard result == SQLITE_OK, let statement = unsafe statement else { throw Failure(code: result) }
        return unsafe statement
    }

    func begin() throws { try execute("BEGIN IMMEDIATE") }
    func commit() throws { try execute("COMMIT") }

    private func execute(_ sql: String) throws {
        let result = unsafe sqlite3_exec(database, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw Failure(code: result) }
    }

    private func seal(_ body: [UInt8]) throws -> [UInt8] {
        padding &+= 1
        let plaintext = body + [UInt8](repeating: padding, count: slot - AESGCM.tagCount - body.count)
        return try AESGCM.seal(plaintext, key: key, nonce: nonce, associatedData: [1, 2, 3])
    }

    /// Adds a row; the row is durable at once unless a transaction is open.
    func add(_ row: Int64, _ body: [UInt8]) throws {
        let record = try seal(body)
        defer { unsafe sqlite3_reset(insert) }
        unsafe sqlite3_bind_int64(insert, 1, row)
        let bound = unsafe identity_sqlite_bind_bytes(insert, 2, record, Int64(record.count))
        let hash = [UInt8](repeating: UInt8(truncatingIfNeeded: row), count: 32)
        let hashed = unsafe identity_sqlite_bind_bytes(insert, 3, hash, 32)
        guard bound == SQLITE_OK, hashed == SQLITE_OK else { throw Failure(code: bound) }
        let result = unsafe sqlite3_step(insert)
        guard result == SQLITE_DONE else { throw Failure(code: result) }
    }

    func save(_ row: Int64, _ body: [UInt8]) throws {
        let record = try seal(body)
        defer { unsafe sqlite3_reset(update) }
        unsafe sqlite3_bind_int64(update, 1, row)
        let bound = unsafe identity_sqlite_bind_bytes(update, 2, record, Int64(record.count))
        guard bound == SQLITE_OK else { throw Failure(code: bound) }
        let result = unsafe sqlite3_step(update)
        guard result == SQLITE_DONE else { throw Failure(code: result) }
    }

    func read(_ row: Int64) throws -> Int {
        defer { unsafe sqlite3_reset(select) }
        unsafe sqlite3_bind_int64(select, 1, row)
        let result = unsafe sqlite3_step(select)
        guard result == SQLITE_ROW, let bytes = unsafe sqlite3_column_blob(select, 1) else {
            throw Failure(code: result)
        }
        let count = Int(unsafe sqlite3_column_bytes(select, 1))
        let record = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
        return try AESGCM.open(record[...], key: key, nonce: nonce, associatedData: [1, 2, 3]).count
    }
}
