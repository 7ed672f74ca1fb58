public import IdentityKit

/// The tables of a store, as ``RowMaintenance`` reads and changes them.
public protocol SealedTables: Sendable {
    /// The next rows of a kind in the order of their keys, at most so many.
    func rows(of kind: SealedRow.Kind, after key: Int64, limit: Int) async throws -> [StoredRow]

    /// Replaces the records of rows that are as they were read; returns how many were replaced.
    func replace(_ rows: [StoredRow], with records: [[UInt8]]) async throws -> Int

    /// Moves rows to quarantine that are as they were read; returns how many were moved.
    ///
    /// - Parameters:
    ///   - rows: Rows of one kind.
    ///   - reasons: Why each of them cannot be opened.
    /// - Returns: The number of rows that were moved.
    /// - Throws: `IdentityError` of the store.
    func quarantine(_ rows: [StoredRow], reasons: [IdentityError]) async throws -> Int
}

/// A row and the key under which a table holds it.
public struct StoredRow: Sendable {
    /// The key of the row.
    ///
    /// It has to be the ``SessionRecords/rowKey(_:)`` of the row's hash, otherwise the row was moved.
    public var key: Int64
    /// The content of the row.
    public var row: SealedRow

    /// Creates a row.
    public init(key: Int64, row: SealedRow) {
        self.key = key
        self.row = row
    }
}
