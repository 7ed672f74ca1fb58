#if PostgreSQL
internal import IdentityKit
public import IdentityStoreKit

extension PostgresStore: StoreHealthChecking {
    var maintenance: RowMaintenance<MaintenanceTables> {
        RowMaintenance(MaintenanceTables(client: client, sql: sql), records: records)
    }

    /// Opens every row, and checks the server's settings for durability.
    ///
    /// In a large store this takes long: run it when there is little load.
    ///
    /// It does not check the pages of the database. Use the server's `data_checksums` and `pg_amcheck` for that.
    ///
    /// - Throws: `IdentityError` when the store cannot be read far enough to check it.
    public func checkHealth() async throws -> StoreHealth {
        var health = StoreHealth()
        if try await client.read(sql.fsync).first?.text(0) != "on" {
            health.problems.append("The server runs with fsync off: commits do not survive a loss of power.")
        }
        try await maintenance.checkRows(for: &health)
        health.quarantinedRows = Int(try await client.read(sql.countQuarantined).first?.integer(0) ?? 0)
        health.spooledSessions = try await spool?.count() ?? 0
        return health
    }
}
#endif
