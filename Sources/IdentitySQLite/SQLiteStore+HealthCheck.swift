internal import IdentityKit
public import IdentityStoreKit

extension SQLiteStore: StoreHealthChecking {
    var maintenance: RowMaintenance<MaintenanceTables> {
        RowMaintenance(MaintenanceTables(database: database, clock: clock), records: records)
    }

    /// The same for the file of pending logins.
    var loginMaintenance: RowMaintenance<LoginFileTables>? {
        logins.map {
            RowMaintenance(LoginFileTables(file: $0, database: database, clock: clock), records: $0.records)
        }
    }

    /// Checks the whole file and opens every row.
    ///
    /// In a large store this takes long: run it when there is little load.
    ///
    /// - Throws: `IdentityError` when the file cannot be read far enough to check it.
    public func checkHealth() async throws -> StoreHealth {
        var health = StoreHealth()
        let lines = try await database.read { try $0.texts("PRAGMA integrity_check(100)") }
        health.problems = lines == ["ok"] ? [] : lines
        try await maintenance.checkRows(for: &health)
        try await loginMaintenance?.checkRows(for: &health)
        health.quarantinedRows = try await database.read { try $0.first(.countQuarantined) { Int($0.integer(0)) } ?? 0 }
        health.spooledSessions = try await spool.count()
        return health
    }
}
