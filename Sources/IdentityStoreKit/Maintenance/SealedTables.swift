public import IdentityKit

/// The tables of a store, for ``RowMaintenance``.
public protocol SealedTables: Sendable {
    /// The rows of a kind whose key is greater than `key`, in the order of their keys, at most `limit`.
    func rows(of kind: SealedRow.Kind, after key: Int64, limit: Int) async throws -> [StoredRow]

    /// Replaces the records of those rows that are unchanged since they were read, and returns how many were replaced.
    func replace(_ rows: [StoredRow], with records: [[UInt8]]) async throws -> Int

    /// Moves those rows to quarantine that are unchanged since they were read.
    ///
    /// - Parameters:
    ///   - rows: Rows of one kind.
    ///   - reasons: For each row, the error that shows why it cannot be opened.
    /// - Returns: The number of rows that were moved.
    /// - Throws: `IdentityError` of the store.
    func quarantine(_ rows: [StoredRow], reasons: [IdentityError]) async throws -> Int
}

/// A row and the key under which a table holds it.
public struct StoredRow: Sendable {
    /// The key of the row.
    ///
    /// It must be the ``StoreRecords/rowKey(_:)`` of the row's hash. A row with another key counts as damaged.
    public var key: Int64
    /// The content of the row.
    public var row: SealedRow

    /// Creates a row.
    public init(key: Int64, row: SealedRow) {
        self.key = key
        self.row = row
    }
}
