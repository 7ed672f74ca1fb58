internal import CIdentitySQLite

/// A running online backup (`sqlite3_backup`) of one database into another.
///
/// Only one thread at a time may use it and its two connections. SQLite needs both connections until `finish` or `deinit` frees `pointer`,
/// so this object retains them.
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

    /// Copies up to `pages` pages, and returns whether the copy is complete.
    func step(_ pages: Int32) throws(SQLiteFailure) -> Bool {
        let result = unsafe sqlite3_backup_step(pointer, pages)
        guard result == SQLITE_OK || result == SQLITE_DONE else { throw SQLiteFailure(code: result) }
        return result == SQLITE_DONE
    }

    /// The number of pages that were not yet copied after the last step.
    var remaining: Int32 { unsafe sqlite3_backup_remaining(pointer) }

    func finish() throws(SQLiteFailure) {
        let result = unsafe sqlite3_backup_finish(pointer)
        unsafe pointer = nil
        guard result == SQLITE_OK else { throw SQLiteFailure(code: result) }
    }
}
