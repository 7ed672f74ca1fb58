#if PostgreSQL
internal import IdentityKit
public import IdentityStoreKit

extension PostgresStore: RowQuarantining {
    /// Moves every damaged row into quarantine.
    ///
    /// The attachments of a damaged session go with it and count too. `Documentation/Operating/PostgreSQL.md` contains the statements that
    /// put a row back when the cause is repaired.
    public func quarantineDamagedRows() async throws -> Int {
        try await maintenance.quarantineDamagedRows()
    }

    /// Throws if a row that was not found is in quarantine, because a session in quarantine must not be reported as unknown.
    func refuseQuarantined(_ hash: [UInt8], _ kind: SealedRow.Kind) async throws {
        let found = try await client.read(
            sql.isQuarantined,
            .integer(Int64(kind.rawValue)),
            .key(hash),
            .bytes(hash)
        )
        if !found.isEmpty { throw IdentityError.quarantined }
    }
}
#endif
