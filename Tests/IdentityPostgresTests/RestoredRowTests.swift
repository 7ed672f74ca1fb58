#if PostgreSQL
import FoundationEssentials
import IdentityKit
import TestGuides
import TestPostgres
import TestStores
import Testing

@testable import IdentityPostgres

/// Runs the statements of `Documentation/Operating/PostgreSQL.md` that put a quarantined row back.
@Suite(
    "Rows that are put back from quarantine in PostgreSQL",
    .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql"),
    .timeLimit(.minutes(5))
)
struct RestoredRowTests {
    @Test("the guide's statements put a session with an unfinished refresh and its attachments back from quarantine")
    func puttingBack() async throws {
        let store = try await TestSchema().open()
        let session = try sampleSession()
        try await store.insert(session)
        #expect(try await store.setAttachment("cart", to: Secret("x"), of: session.id, expecting: nil))
        let claimed = session.next("claimed", isInDoubt: true)
        #expect(try await store.replace(claimed, expecting: session.generation))
        try await store.execute("UPDATE §session SET generation = generation + 1")
        #expect(try await store.quarantineDamagedRows() == 2)
        // The row is put back after the database was restored from a backup, whose refresh tokens may have been used.
        #expect(try await store.markAllAsRestored() == 0)

        try await store.execute("UPDATE §quarantine SET generation = generation - 1 WHERE kind = 0")
        let id = try #require(try await store.execute("SELECT id FROM §quarantine WHERE kind = 0").first?.integer(0))
        let statements = try GuidePage("Documentation/Operating/PostgreSQL.md").blocks("sql").last
        // One statement instead of a transaction, because each call may use another connection.
        let body = try #require(statements).replacing("COMMIT;", with: "END").replacing("BEGIN;", with: "BEGIN")
            .replacing("identitykit.", with: "§").replacing("id = 1", with: "id = \(id)")
        try await store.execute("DO $$ \(body) $$")
        let restored = try #require(try await store.sessions(matching: SessionFilter(isInDoubt: true)).first)
        #expect(restored.id == session.id && restored.isRestored)
        #expect(restored.payload.reveal() == "claimed" && restored.retainedUntil == session.retainedUntil)
        #expect(try await store.attachment("cart", of: session.id)?.payload.reveal() == "x")
        let health = try await store.checkHealth()
        #expect(health.isSound && health.quarantinedRows == 0)
    }
}
#endif
