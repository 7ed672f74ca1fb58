import FoundationEssentials
import IdentityKit
import IdentityStoreKit
import TestStores
import Testing

@testable import IdentitySQLite

@Suite("The state of a session's refresh in its row")
struct SessionStateTests {
    @Test("a refresh in progress is saved with the session, and an index lists the sessions with one")
    func inDoubt() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        var first = try sampleSession(tenant: "a")
        first.isInDoubt = true
        let second = try sampleSession(tenant: "b")
        for session in [first, second] { try await store.insert(session) }
        func inDoubt(_ filter: SessionFilter = SessionFilter(isInDoubt: true)) async throws -> Set<SessionID> {
            Set(try await store.sessions(matching: filter).map(\.id))
        }
        #expect(try await store.session(first.id)?.isInDoubt == true)
        #expect(try await store.session(second.id)?.isInDoubt == false)
        #expect(try await inDoubt() == [first.id])
        #expect(try await inDoubt(SessionFilter(isInDoubt: false)) == [second.id])
        #expect(try await inDoubt(SessionFilter(tenant: "b", isInDoubt: true)).isEmpty)
        #expect(try await store.checkHealth().sessionsInDoubt == 1)
        let claimed = try await store.save(second.next(isInDoubt: true), after: second)
        #expect(try await inDoubt() == [first.id, second.id])
        #expect(try await inDoubt(SessionFilter(provider: "shopify", tenant: "b", isInDoubt: true)) == [second.id])
        _ = try await store.save(claimed.next(), after: claimed)
        _ = try await store.save(first.next(), after: first)
        #expect(try await inDoubt().isEmpty)
        for (query, index) in [
            (Query.listSessionsInDoubt, "session_in_doubt"), (.listSessionsOfTenant, "session_tenant"),
        ] {
            let plan = try await store.database.read { try $0.plan(query) }
            #expect(plan.contains { $0.contains(index) } && !plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
        }
    }

    @Test("of thousands of sessions, 600 can be claimed and saved while the disk is full")
    func fullDisk() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open { ($0.slotSize, $0.lockWait) = (512, .seconds(600)) }
        let sessions = try (0..<3_000).map { try sampleSession(subject: "buyer \($0)", tenant: "shop \($0 % 7)") }
        try await withThrowingTaskGroup { group in
            for session in sessions { group.addTask { try await store.insert(session) } }
            try await group.waitForAll()
        }
        try await store.fillDisk()
        await expect(.storeFull, .retryLater) {
            for _ in 0..<64 { try await store.insert(sampleSession()) }
        }
        // First claim 300 sessions and only then save their tokens, as after an outage of the provider. Then claim and save one session
        // after the other.
        let few = Array(sessions.prefix(300))
        for session in few { _ = try await store.save(session.next(isInDoubt: true), after: session) }
        #expect(try await store.sessions(matching: SessionFilter(isInDoubt: true)).count == few.count)
        for session in few.map({ $0.next(isInDoubt: true) }) {
            _ = try await store.save(session.next("refreshed"), after: session)
        }
        for session in sessions.suffix(300) {
            let claimed = try await store.save(session.next(isInDoubt: true), after: session)
            _ = try await store.save(claimed.next("refreshed"), after: claimed)
        }
        let health = try await store.checkHealth()
        #expect(health.isSound)
        #expect(health.sessionsInDoubt == 0)
    }

    @Test("a session that outgrows its slot keeps the larger slot, and a claim reserves the slot for the save")
    func growth() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open { $0.slotSize = 512 }
        func length(_ session: StoredSession) async throws -> String? {
            let key = try store.rowKey(session.id)
            return try await store.database.read { connection in
                try connection.texts("SELECT length(slot) FROM session WHERE key = \(key)").first
            }
        }
        func text(_ count: Int) -> String { String(repeating: "x", count: count) }
        var session = try sampleSession(payload: text(100))
        try await store.insert(session)
        #expect(try await length(session) == "512")
        for (count, expected) in [(200, 512), (420, 1_024), (2_000, 4_096), (10, 4_096), (7_900, 8_192)] {
            session = try await store.save(session.next(text(count)), after: session)
            #expect(try await length(session) == "\(expected)")
            #expect(try await store.session(session.id)?.payload.reveal() == text(count))
        }
        // The claim reserves the requested space, so that the save succeeds although the disk is full by then.
        session = try sampleSession(payload: text(300))
        try await store.insert(session)
        session = try await store.save(session.next(text(3_000), isInDoubt: true), after: session)
        #expect(try await length(session) == "4096")
        try await store.fillDisk()
        session = try await store.save(session.next(text(3_000), isInDoubt: true), after: session)
        session = try await store.save(session.next(text(1_600)), after: session)
        let full = session
        await expect(.storeFull, .retryLater) {
            try await store.replace(full.next(text(7_000)), expecting: full.generation)
        }
        #expect(try await store.checkHealth().isSound)
    }

    @Test("a login attempt that was moved to another tenant cannot be decrypted")
    func attemptOfAnotherTenant() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open { $0.savesPendingLoginsDurably = true }
        try await store.insert(sampleAttempt("login", tenant: "a"))
        try directory.connection().execute("UPDATE login_attempt SET tenant = CAST('b' AS BLOB)")
        await expect(.storeCorrupt, .configuration) { try await store.takeLoginAttempt("login") }
    }

    @Test("an attachment that is added after a removal has a new revision")
    func revisions() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        let session = try sampleSession()
        try await store.insert(session)
        var seen: Set<Int64> = []
        for _ in 0..<8 {
            #expect(try await store.setAttachment("cart", to: Secret("x"), of: session.id, expecting: nil))
            let revision = try #require(try await store.attachment("cart", of: session.id)?.revision)
            #expect(seen.insert(revision).inserted)
            #expect((1 << 40..<1 << 47).contains(revision))
            #expect(try await store.setAttachment("cart", to: nil, of: session.id, expecting: revision))
        }
    }
}

extension Connection {
    func plan(_ query: Query) throws -> [String] {
        try texts("EXPLAIN QUERY PLAN \(query.sql)", column: 3)
    }
}
