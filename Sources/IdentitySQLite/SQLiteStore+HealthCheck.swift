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
    /// In a large store this takes long: run it when there is little load. Reads continue. With the rollback journal, saves of all processes
    /// wait while SQLite checks the file, and fail as `store_busy` after their `lockWait`.
    ///
    /// - Throws: `IdentityError` when the file cannot be read far enough to check it.
    public func checkHealth() async throws -> StoreHealth {
        var health = StoreHealth()
        // If a process crashed, this read also rolls back its transaction, which the read-only connection of the next call cannot do.
        health.quarantinedRows = try await database.read { try $0.first(.countQuarantined) { Int($0.integer(0)) } ?? 0 }
        health.problems = try await database.problems(in: location)
        try await maintenance.checkRows(for: &health)
        try await loginMaintenance?.checkRows(for: &health)
        health.spooledSessions = try await spool.count()
        return health
    }
}
