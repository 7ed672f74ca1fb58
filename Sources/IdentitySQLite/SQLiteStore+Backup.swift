internal import IdentityKit

extension SQLiteStore {
    /// Copies the whole store into a new file while it is in use.
    ///
    /// The copy shows one moment, has mode 0600, and survives a crash when this returns. Other calls continue while it runs. If other
    /// processes write so often that the copy cannot finish, the last attempt makes them wait.
    ///
    /// The copy is encrypted with the store's key. When it is opened for writing, its sessions are marked as restored: their refresh tokens
    /// may have been used since the backup, and the provider may reject them. The spool is not copied.
    ///
    /// - Parameter path: The new file. A missing directory is created (mode 0700).
    /// - Throws: `IdentityError` with `configuration_invalid` when the file exists, `store_full`, `store_read_only`,
    ///   `store_busy` or `store_failed`. No incomplete file is left then.
    public func backup(to path: String) async throws {
        do {
            try await database.backUp(to: StoreLocation(path, creates: true), locks: location.locks)
        } catch let error as IdentityError {
            throw error.ofBackup
        }
    }
}
