internal import IdentityKit

extension SQLiteStore {
    /// Copies the database file into a new file while the store is in use.
    ///
    /// The copy is a snapshot of one moment and has mode 0600. When this method returns, the copy is durable. Other calls continue during
    /// the backup. A write of another process makes the copy start again. After more than five restarts, the saves of all processes wait
    /// until the copy is complete, and fail in other processes with `store_busy` after their `lockWait`. A store that is open only for
    /// reading cannot make the saves wait. Its backup fails with `store_busy` after these restarts.
    ///
    /// The records in the copy stay encrypted with the store's keys. When the copy is opened for writing, its sessions are marked as
    /// restored: their refresh tokens may have been used since the backup, and the provider may reject them. The spool and the file of
    /// pending logins are not copied.
    ///
    /// - Parameter path: The new file. A missing directory is created (mode 0700).
    /// - Throws: `IdentityError` with code `configuration_invalid` when the file exists or the path is invalid. Other codes are for example
    ///   `store_full`, `store_read_only`, `store_busy` and `store_failed`. After an error, no incomplete file is left in the directory.
    public func backup(to path: String) async throws {
        do {
            try await database.backUp(to: StoreLocation(path, creates: true), locks: location.locks)
        } catch let error as IdentityError {
            throw error.ofBackup
        }
    }
}
