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
        try await store.execute(statement(puttingBack: id))
        let restored = try #require(try await store.sessions(matching: SessionFilter(isInDoubt: true)).first)
        #expect(restored.id == session.id && restored.isRestored)
        #expect(restored.payload.reveal() == "claimed" && restored.retainedUntil == session.retainedUntil)
        #expect(try await store.attachment("cart", of: session.id)?.payload.reveal() == "x")
        let health = try await store.checkHealth()
        #expect(health.isSound && health.quarantinedRows == 0)
    }

    @Test("a session that is put back from quarantine while a call looks for it is found with its attachment")
    func puttingBackDuringLookup() async throws {
        #expect(try await resultOfCall { try await $0.session($1) }?.payload.reveal() == "tokens")
        #expect(try await resultOfCall { try await $0.attachment("cart", of: $1) }?.payload.reveal() == "x")
        #expect(try await resultOfCall { try await $0.remove($1) }?.attachments["cart"]?.reveal() == "x")
    }

    /// Starts a call for a quarantined session, and puts the session back when the call has not found its row.
    private func resultOfCall<R: Sendable>(
        _ body: @escaping @Sendable (PostgresStore, SessionID) async throws -> R
    ) async throws -> R {
        let schema = try await TestSchema()
        let store = try await schema.open()
        let session = try sampleSession()
        try await store.insert(session)
        #expect(try await store.setAttachment("cart", to: Secret("x"), of: session.id, expecting: nil))
        try await store.execute("UPDATE §session SET generation = generation + 1")
        #expect(try await store.quarantineDamagedRows() == 2)
        try await store.execute("UPDATE §quarantine SET generation = generation - 1 WHERE kind = 0")
        let id = try #require(try await store.execute("SELECT id FROM §quarantine WHERE kind = 0").first?.integer(0))
        let puttingBack = store.sql.rare(try statement(puttingBack: id))
        let call = try await store.client.transaction(by: store.client.deadline) { transaction in
            _ = try await transaction.run(store.sql.rare("LOCK TABLE §quarantine"))
            let call = Task { try await body(store, session.id) }
            // The call has not found the row, and waits for the lock to look into the quarantine.
            try await schema.waitForBlockedStatement(in: store)
            _ = try await transaction.run(puttingBack)
            return call
        }
        return try await call.value
    }

    /// The guide's statements, as one statement instead of a transaction, because each call may use another connection.
    private func statement(puttingBack id: Int64) throws -> String {
        let statements = try GuidePage("Documentation/Operating/PostgreSQL.md").blocks("sql").last
        let body = try #require(statements).replacing("COMMIT;", with: "END").replacing("BEGIN;", with: "BEGIN")
            .replacing("identitykit.", with: "§").replacing("id = 1", with: "id = \(id)")
        return "DO $$ \(body) $$"
    }
}
#endif
