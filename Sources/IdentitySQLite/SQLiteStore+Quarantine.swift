internal import IdentityKit
public import IdentityStoreKit

extension SQLiteStore: RowQuarantining {
    /// Moves every damaged row into quarantine.
    ///
    /// The row keeps all its columns there, so that it can be restored when the cause is found:
    /// `Documentation/Operating/SQLite.md` shows how.
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
