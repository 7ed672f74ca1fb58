internal import CIdentitySQLite

/// A running copy of one database into another.
///
/// Only the thread that uses both connections may use this object. `finish` or, if it was not called, `deinit` frees `pointer`. Both
/// connections must stay open until `pointer` is freed, so this object retains them.
@safe
final class BackupCopy {
    private var pointer: OpaquePointer?
    private let connections: [Connection]

    init(
        from source: (connection: Connection, pointer: OpaquePointer),
        to target: (connection: Connection, pointer: OpaquePointer)
    ) throws(SQLiteFailure) {
        guard let pointer = unsafe sqlite3_backup_init(target.pointer, "main", source.pointer, "main") else {
            throw SQLiteFailure(code: unsafe sqlite3_extended_errcode(target.pointer))
        }
        unsafe self.pointer = pointer
        connections = unsafe [source.connection, target.connection]
    }

    deinit {
        unsafe sqlite3_backup_finish(pointer)
    }

    /// Copies up to `pages` pages; true when all pages are copied.
    func step(_ pages: Int32) throws(SQLiteFailure) -> Bool {
        let result = unsafe sqlite3_backup_step(pointer, pages)
        guard result == SQLITE_OK || result == SQLITE_DONE else { throw SQLiteFailure(code: result) }
        return result == SQLITE_DONE
    }

    /// The number of pages that are still to be copied.
    ///
    /// If another connection has written to the source, the next step starts again at the first page, and this number does not decrease.
    var remaining: Int32 { unsafe sqlite3_backup_remaining(pointer) }

    func finish() throws(SQLiteFailure) {
        let result = unsafe sqlite3_backup_finish(pointer)
        unsafe pointer = nil
        guard result == SQLITE_OK else { throw SQLiteFailure(code: result) }
    }
}
