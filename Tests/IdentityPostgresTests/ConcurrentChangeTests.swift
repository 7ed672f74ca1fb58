#if PostgreSQL
import FoundationEssentials
import IdentityKit
import IdentityStoreKit
import TestPostgres
import TestStores
import Testing

@testable import IdentityPostgres

@Suite(
    "Concurrent changes in PostgreSQL",
    .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql"),
    .timeLimit(.minutes(5))
)
struct ConcurrentChangeTests {
    @Test("a logout returns the attachment that another process replaces at the same moment")
    func replacedAttachment() async throws {
        let schema = try await TestSchema()
        let store = try await schema.open()
        let session = try sampleSession()
        try await store.insert(session)
        #expect(try await store.setAttachment("cart", to: Secret("old"), of: session.id, expecting: nil))
        let revision = try #require(try await store.attachment("cart", of: session.id)).revision
        let hash = try store.records.hash(ofAttachment: "cart", of: session.id)
        let row = try store.records.seal(Secret("new"), as: "cart", of: session.id, revision: revision + 1)
        let removal = try await store.client.transaction(by: store.client.deadline) { transaction in
            let replaced = try await transaction.run(
                store.sql.replaceAttachment,
                .key(hash),
                .bytes(hash),
                .integer(revision),
                .integer(revision + 1),
                .bytes(row.record)
            )
            #expect(replaced.changed == 1)
            let removal = Task { try await store.remove(session.id) }
            try await schema.waitForBlockedStatement(in: store)
            return removal
        }
        #expect(try await removal.value?.attachments["cart"]?.reveal() == "new")
    }

    @Test("a pending login is taken once although a key rotation seals its record again at the same moment")
    func resealedLogin() async throws {
        let schema = try await TestSchema()
        let store = try await schema.open()
        let attempt = StoredLoginAttempt(
            key: "login",
            tenant: "shop",
            expiresAt: Date(timeIntervalSince1970: 2_000_000_000),
            payload: Secret("attempt")
        )
        try await store.insert(attempt)
        let row = try store.records.seal(attempt)
        let login = try await store.client.transaction(by: store.client.deadline) { transaction in
            let statement = store.sql.rare("UPDATE §login_attempt SET slot = $1", [.bytes])
            #expect(try await transaction.run(statement, .bytes(row.record)).changed == 1)
            let login = Task { try await store.takeLoginAttempt("login") }
            // The call has read the old record. Its removal waits for this transaction.
            try await schema.waitForBlockedStatement(in: store)
            return login
        }
        #expect(try await login.value?.payload.reveal() == "attempt")
        #expect(try await store.takeLoginAttempt("login") == nil)
    }

    @Test("a list reports damage if a session is put back from quarantine while the rows are read")
    func restoredDuringList() async throws {
        let schema = try await TestSchema()
        let store = try await schema.open()
        try await store.insert(try sampleSession())
        try await store.execute("UPDATE §session SET generation = generation + 1")
        #expect(try await store.quarantineDamagedRows() == 1)
        let list = try await store.client.transaction(by: store.client.deadline) { transaction in
            _ = try await transaction.run(store.sql.rare("LOCK TABLE §session"))
            let list = Task { try await store.readableSessions(matching: SessionFilter()) }
            try await schema.waitForBlockedStatement(in: store)
            // The session's row may be on a page that the list has already read.
            _ = try await transaction.run(store.sql.rare("DELETE FROM §quarantine"))
            return list
        }
        #expect(try await list.value.damage?.code == .storeCorrupt)
    }
}
#endif
