/// A store that can move damaged rows to quarantine; a row can be put back until a sweep removes it.
public protocol RowQuarantining: Sendable {
    /// Moves every damaged row into quarantine, and returns the number of moved rows.
    ///
    /// Later calls for a session in quarantine must fail with `storeCorrupt`: the session must not count as unknown. Rows that are
    /// encrypted with a key that this process does not have are not damaged, and stay in place. In this package's stores, a sweep removes a
    /// row that has been in quarantine for more than 30 days.
    func quarantineDamagedRows() async throws -> Int
}
