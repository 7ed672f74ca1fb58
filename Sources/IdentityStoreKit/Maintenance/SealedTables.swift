public import IdentityKit

/// The tables of a store, for ``RowMaintenance``.
public protocol SealedTables: Sendable {
    /// The next rows of a kind in the order of their keys, up to a limit.
    func rows(of kind: SealedRow.Kind, after key: Int64, limit: Int) async throws -> [StoredRow]

    /// Replaces the records of rows that are unchanged since they were read; returns the number of replaced rows.
    func replace(_ rows: [StoredRow], with records: [[UInt8]]) async throws -> Int

    /// Moves rows to quarantine that are unchanged since they were read; returns the number of moved rows.
    ///
    /// - Parameters:
    ///   - rows: Rows of one kind.
    ///   - reasons: The reason why each of them cannot be opened.
    /// - Returns: The number of rows that were moved.
    /// - Throws: `IdentityError` of the store.
    func quarantine(_ rows: [StoredRow], reasons: [IdentityError]) async throws -> Int
}

/// A row and the key under which a table holds it.
public struct StoredRow: Sendable {
    /// The key of the row.
    ///
    /// It must be the ``StoreRecords/rowKey(_:)`` of the row's hash; otherwise the row was moved.
    public var key: Int64
    /// The content of the row.
    public var row: SealedRow

    /// Creates a row.
    public init(key: Int64, row: SealedRow) {
        self.key = key
        self.row = row
    }
}
