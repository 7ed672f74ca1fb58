/// A store that can move damaged rows to quarantine.
///
/// A row in quarantine can be put back until a sweep removes it.
public protocol RowQuarantining: Sendable {
    /// Moves every damaged row into quarantine.
    ///
    /// In this package's stores, a sweep removes a row that has been in quarantine for more than 30 days. Rows that are encrypted with a
    /// key that this process does not have are not moved, because they are not damaged. A session in quarantine is still reported as
    /// `storeCorrupt`, never as unknown.
    ///
    /// - Returns: The number of rows that were moved.
    func quarantineDamagedRows() async throws -> Int
}
