internal import IdentityKit
public import IdentityStoreKit

extension SQLiteStore: RowQuarantining {
    /// Moves every damaged row into quarantine.
    ///
    /// The table keeps every column that is needed to put the row back when the cause is repaired:
    /// `Documentation/Operating/SQLite.md` contains the statements.
    public func quarantineDamagedRows() async throws -> Int {
        try await maintenance.quarantineDamagedRows() + (loginMaintenance?.quarantineDamagedRows() ?? 0)
    }
}

extension Connection {
    /// Whether a row of this hash is in quarantine.
    func isQuarantined(_ hash: [UInt8], _ kind: SealedRow.Kind) throws -> Bool {
        try first(.isQuarantined, .key(hash), .bytes(hash), .text(kind.table)) { _ in true } != nil
    }

    /// Throws if a row that was not found is in quarantine, because a session in quarantine must not be reported as unknown.
    func refuseQuarantined(_ hash: [UInt8], _ kind: SealedRow.Kind) throws {
        if try isQuarantined(hash, kind) { throw IdentityError.quarantined }
    }
}
