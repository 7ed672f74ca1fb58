#if PostgreSQL
import FoundationEssentials
import IdentityKit
import IdentityStoreKit
import TestDirectories
import TestPostgres
import TestStores
import Testing

@testable import IdentityPostgres

@Suite(
    "Maintenance of a store in PostgreSQL",
    .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql"),
    .timeLimit(.minutes(5))
)
struct MaintenanceTests {
    @Test("a sweep removes old rows from quarantine a limited number at a time, and the expired sessions before them")
    func sweepingQuarantine() async throws {
        let store = try await TestSchema().open()
        let past = Date(timeIntervalSince1970: 1_000_000_000)
        func quarantine(_ count: Int) async throws {
            try await store.execute(
                """
                INSERT INTO §quarantine (kind, key, hash, slot, moved_at)
                SELECT 0, number, '', '', clock_timestamp() - interval '31 days' FROM generate_series(1, \(count)) AS number
                """
            )
        }
        func refuseDeletes(over limit: Int) async throws {
            try await store.execute(
                """
                CREATE OR REPLACE FUNCTION §refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF (SELECT count(*) FROM removed) > \(limit) THEN RAISE 'too many rows for the time limit'; END IF;
                    RETURN NULL;
                END $$
                """
            )
        }
        try await refuseDeletes(over: 512)
        try await store.execute(
            """
            CREATE TRIGGER refuse AFTER DELETE ON §quarantine REFERENCING OLD TABLE AS removed
            FOR EACH STATEMENT EXECUTE FUNCTION §refuse()
            """
        )
        try await quarantine(1_100)
        try await store.insert(try sampleSession(retainedUntil: past))
        #expect(try await store.sweep(expiredBefore: Date()) == 1)
        #expect(try await store.checkHealth().quarantinedRows == 0)

        try await quarantine(1)
        try await refuseDeletes(over: 0)
        try await store.insert(try sampleSession(retainedUntil: past))
        await #expect(throws: IdentityError.self) { _ = try await store.sweep(expiredBefore: Date()) }
        let health = try await store.checkHealth()
        #expect(health.sessions == 0 && health.quarantinedRows == 1)
    }

    @Test("a row whose record is damaged at its start does not count as a row of a missing key")
    func keyUsage() async throws {
        let store = try await TestSchema().open()
        let sessions = try (0..<2).map { _ in try sampleSession() }
        for session in sessions { try await store.insert(session) }
        let key = StoreRecords.rowKey(try store.records.hash(of: sessions[0].id))
        try await store.execute("UPDATE §session SET slot = set_byte(slot, 0, 0) WHERE key = \(key)")
        #expect(try await store.keyUsage().map { "\($0.role.rawValue) \($0.rows)" } == ["active 1"])
    }

    @Test("a store has a spool only if its directory is configured")
    func spool() async throws {
        let folder = try TemporaryDirectory("postgres-spool")
        defer { folder.remove() }
        let schema = try await TestSchema()
        #expect(try await !schema.open().hasSpool)
        #expect(try await schema.open { $0.spoolDirectory = folder.path(of: "spool") }.hasSpool)
    }
}
#endif
