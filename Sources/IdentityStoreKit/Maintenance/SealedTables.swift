public import IdentityKit

/// The tables of a store, for ``RowMaintenance``; the methods throw an `IdentityError` of the store.
public protocol SealedTables: Sendable {
    /// The rows of a kind whose key is greater than `key`, in the order of their keys, at most `limit`.
    func rows(of kind: SealedRow.Kind, after key: Int64, limit: Int) async throws -> [StoredRow]

    /// Replaces the records of those rows that have not changed since they were read, and returns their number.
    func replace(_ rows: [StoredRow], with records: [[UInt8]]) async throws -> Int

    /// Moves those rows to quarantine that have not changed since they were read, and returns their number.
    ///
    /// All rows are of the same kind. For each row, `reasons` contains the error that shows why the row cannot be opened.
    func quarantine(_ rows: [StoredRow], reasons: [IdentityError]) async throws -> Int
}

/// A row with its key in the table.
public struct StoredRow: Sendable {
    /// The key of the row: the ``StoreRecords/rowKey(_:)`` of the row's hash; a row with another key counts as damaged.
    public var key: Int64
    /// The content of the row.
    public var row: SealedRow

    /// Creates a row.
    public init(key: Int64, row: SealedRow) {
        self.key = key
        self.row = row
    }
}
