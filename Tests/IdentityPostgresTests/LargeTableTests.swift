#if PostgreSQL
import FoundationEssentials
import IdentityKit
import TestPostgres
import TestStores
import Testing

@testable import IdentityPostgres

@Suite(
    "Large tables in PostgreSQL",
    .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql"),
    .timeLimit(.minutes(5))
)
struct LargeTableTests {
    private static let rows: Int64 = 6_000
    private static let later = 2_000_000_000.0

    /// A store with many sessions, of which each thousandth has expired.
    private func store() async throws -> PostgresStore {
        let store = try await TestSchema().open()
        try await store.execute(
            """
            INSERT INTO §session (key, hash, buyer, tenant, provider, issuer, generation, retained_until, slot, is_in_doubt)
            SELECT number * 1000003, '\\x00', '\\x00', '', '', '', 1,
            CASE WHEN number % 1000 = 0 THEN 0 ELSE $1 END, '\\x00', false
            FROM generate_series(1::bigint, \(Self.rows)) AS number
            """,
            .real(Self.later)
        )
        try await store.execute("ANALYZE §session")
        return store
    }

    /// How many rows of the table a statement reads.
    private func rowsRead(by statement: Statement, _ values: [Value], in store: PostgresStore) async throws -> Int64 {
        try await store.client.transaction(by: store.client.deadline) { transaction in
            switch values.count {
            case 2: _ = try await transaction.run(statement, values[0], values[1])
            default: _ = try await transaction.run(statement, values[0], values[1], values[2])
            }
            let counts = store.sql.rare(
                """
                SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables
                WHERE relid = '§session'::regclass
                """
            )
            return try await transaction.run(counts).first?.integer(0) ?? -1
        }
    }

    @Test("a statement that marks sessions as restored reads a limited number of rows, and all sessions are marked")
    func markRestored() async throws {
        let store = try await store()
        let read = try await rowsRead(by: store.sql.markRestored, [.integer(-1), .integer(100)], in: store)
        #expect((1...300).contains(read))
        #expect(try await store.markAllAsRestored() == Int(Self.rows) - 100)
        #expect(try await store.markAllAsRestored() == 0)
        let unmarked = try await store.execute("SELECT count(*) FROM §session WHERE NOT is_restored")
        #expect(unmarked.first?.integer(0) == 0)
    }

    @Test("a removal returns all attachments of a session, also more than a thousand")
    func attachments() async throws {
        let store = try await TestSchema().open()
        let session = try sampleSession()
        try await store.insert(session)
        let names = (0...1_000).map { "attachment \($0)" }
        for name in names {
            #expect(try await store.setAttachment(name, to: Secret(name), of: session.id, expecting: nil))
        }
        let removed = try await store.remove(session.id)
        #expect(removed?.attachments.mapValues { $0.reveal() } == Dictionary(uniqueKeysWithValues: zip(names, names)))
    }

    @Test("a statement of a sweep removes 512 sessions at most")
    func removals() async throws {
        let store = try await store()
        try await store.execute("UPDATE §session SET retained_until = 0")
        try await store.execute("CREATE TABLE §removal (count bigint)")
        try await store.execute(
            """
            CREATE FUNCTION §note_removal() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN INSERT INTO §removal SELECT count(*) FROM gone; RETURN NULL; END'
            """
        )
        try await store.execute(
            """
            CREATE TRIGGER note_removal AFTER DELETE ON §session REFERENCING OLD TABLE AS gone
            FOR EACH STATEMENT EXECUTE FUNCTION §note_removal()
            """
        )
        #expect(try await store.sweep(expiredBefore: Date(timeIntervalSinceReferenceDate: 1)) == Int(Self.rows))
        #expect(try await store.execute("SELECT max(count) FROM §removal").first?.integer(0) == 512)
    }

    @Test("a statement of a sweep reads a limited number of rows, and the sweep removes all expired rows")
    func sweep() async throws {
        let store = try await store()
        let values: [Value] = [.integer(-1), .integer(100), .real(0)]
        let read = try await rowsRead(by: store.sql.sweepSessions, values, in: store)
        #expect((1...200).contains(read))
        let date = Date(timeIntervalSinceReferenceDate: 1)
        #expect(try await store.sweep(expiredBefore: date) == 6)
        #expect(try await store.sweep(expiredBefore: date) == 0)
        #expect(try await store.execute("SELECT count(*) FROM §session").first?.integer(0) == Self.rows - 6)
    }
}
#endif
