internal import CIdentitySQLite
internal import IdentityPlatform
internal import IdentityStoreKit

/// A prepared statement, which `deinit` finalizes.
@safe
final class Statement: ColumnReading {
    private let pointer: OpaquePointer

    init(_ sql: String, on database: OpaquePointer) throws(SQLiteFailure) {
        var pointer: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        guard result == SQLITE_OK, let pointer = unsafe pointer else { throw SQLiteFailure(code: result) }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe sqlite3_finalize(pointer)
    }

    func bind(_ values: [ColumnValue]) throws(SQLiteFailure) {
        for (offset, value) in values.enumerated() {
            let index = Int32(truncatingIfNeeded: offset + 1)
            let result =
                switch value {
                case .null: unsafe sqlite3_bind_null(pointer, index)
                case .integer(let value): unsafe sqlite3_bind_int64(pointer, index, value)
                case .real(let value): unsafe sqlite3_bind_double(pointer, index, value)
                // SQLite needs no bytes for the values 0 and 1, so a row keeps its length when a flag changes.
                case .flag(let value): unsafe sqlite3_bind_int64(pointer, index, value ? 1 : 0)
                case .bytes(let value) where value.isEmpty: unsafe sqlite3_bind_zeroblob(pointer, index, 0)
                case .bytes(let value):
                    unsafe identity_sqlite_bind_bytes(pointer, index, value, Int64(value.count))
                }
            guard result == SQLITE_OK else { throw SQLiteFailure(code: result) }
        }
    }

    /// Moves to the next row; false after the last row.
    func step() throws(SQLiteFailure) -> Bool {
        errno = 0
        let result = unsafe sqlite3_step(pointer)
        // SQLite does not keep the errno of a failed commit, so the thread's last errno is the best available information.
        let lastError = errno
        switch result {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let kept = unsafe sqlite3_system_errno(sqlite3_db_handle(pointer))
            let systemError = kept == 0 ? lastError : kept
            let isOfSystem = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(result & 0xFF)
            throw SQLiteFailure(code: result, systemError: isOfSystem ? systemError : 0)
        }
    }

    /// Ends the statement and releases its read lock.
    func reset() {
        unsafe sqlite3_reset(pointer)
    }

    func integer(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(pointer, column)
    }

    func flag(_ column: Int32) -> Bool { integer(column) == 1 }

    func real(_ column: Int32) -> Double {
        unsafe sqlite3_column_double(pointer, column)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(pointer, column) else { return [] }
        let count = unsafe Int(sqlite3_column_bytes(pointer, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The bytes of a column as UTF-8 text; the store keeps texts as blobs, so that collations and NUL have no effect.
    func text(_ column: Int32) -> String {
        String(decoding: bytes(column), as: UTF8.self)
    }
}
