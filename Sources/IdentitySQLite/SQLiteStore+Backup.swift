internal import IdentityKit

extension SQLiteStore {
    /// Copies the whole store into a new file while it is in use.
    ///
    /// The copy is as of one moment, has mode 0600, and survives a crash once this returns. Other calls go on: some pages are copied at a time.
    /// Only when other processes write so often that the copy never comes to its end do they wait for the last attempt.
    ///
    /// The copy needs the store's key. Whoever opens it for writing gets its sessions marked as restored: the provider may refuse
    /// their refresh tokens, which may have been spent since. What is in the spool is not copied.
    ///
    /// - Parameter path: The new file; its directory is made (mode 0700) where it is missing.
    /// - Throws: `IdentityError` with `configuration_invalid` when there is a file already, `store_full`, `store_read_only`,
    ///   `store_busy`; no file is left then.
    public func backup(to path: String) async throws {
        try await database.backUp(to: StoreLocation(path, creates: true))
    }
}
