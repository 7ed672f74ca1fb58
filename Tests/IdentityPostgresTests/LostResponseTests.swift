#if PostgreSQL
import FoundationEssentials
import IdentityKit
import TestPostgres
import TestStores
import Testing

@testable import IdentityPostgres

@Suite(
    "Lost responses of the server",
    .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql"),
    .timeLimit(.minutes(5))
)
struct LostResponseTests {
    /// A store behind a proxy, with one connection and no prepared statements, so that each statement has one response.
    private func stage(
        _ schema: TestSchema? = nil
    ) async throws -> (store: PostgresStore, proxy: Proxy, direct: PostgresStore) {
        let schema = if let schema { schema } else { try await TestSchema() }
        let proxy = try Proxy(to: schema.server)
        // No call of these tests may fail only because the machine is busy.
        let limit = Duration.seconds(60)
        let store = try await schema.open {
            $0.connection = proxy.connection(schema.server)
            $0.maximumConnections = 1
            $0.usesTransactionPooler = true
            $0.callLimit = limit
        }
        return (store, proxy, try await schema.open { $0.callLimit = limit })
    }

    @Test("a session whose insertion got no response is stored once, and the call succeeds")
    func insert() async throws {
        let (store, proxy, direct) = try await stage()
        let session = try sampleSession()
        proxy.loseNextResponse()
        try await store.insert(session)
        #expect(proxy.lost == 1)
        #expect(try await direct.session(session.id)?.payload.reveal() == "tokens")
        await expect(.storeFailed, .rejected) { try await store.insert(session) }
    }

    @Test("a replacement whose response was lost succeeds and is applied once")
    func replace() async throws {
        let (store, proxy, direct) = try await stage()
        var session = try sampleSession()
        try await store.insert(session)
        for number in 1...3 {
            let next = session.next("tokens \(number)")
            if number > 1 { proxy.loseNextResponse() }
            #expect(try await store.replace(next, expecting: session.generation))
            session = next
        }
        #expect(proxy.lost == 2)
        #expect(try await direct.session(session.id)?.generation == session.generation)
        #expect(try await direct.session(session.id)?.payload.reveal() == "tokens 3")
        // A save with an old generation still fails.
        proxy.loseNextResponse()
        #expect(try await !store.replace(session.next("late"), expecting: session.generation - 1))
        #expect(proxy.lost == 3)
    }

    @Test("a session counts as saved although its record was sealed again; after a later save this is unknown")
    func replaceAndReseal() async throws {
        let (store, _, direct) = try await stage()
        let session = try sampleSession()
        try await store.insert(session)
        let next = session.next("new tokens")
        #expect(try await direct.replace(next, expecting: session.generation))
        let row = try store.records.seal(next)
        #expect(try await store.isStored(next, row, store.client.deadline) == true)
        let other = session.next("somebody else's")
        #expect(try await store.isStored(other, store.records.seal(other), store.client.deadline) == false)
        #expect(try await direct.replace(next.next("later"), expecting: next.generation))
        #expect(try await store.isStored(next, row, store.client.deadline) == nil)
    }

    @Test("a removal whose response was lost still returns the removed session", arguments: 0..<6)
    func remove(answer: Int) async throws {
        let (store, proxy, direct) = try await stage()
        for isPrepared in [false, true] {
            let session = try sampleSession()
            try await store.insert(session)
            #expect(try await store.setAttachment("cart", to: Secret("a cart"), of: session.id, expecting: nil))
            // The response to each of BEGIN, lock, attachments, deletion and COMMIT is lost once.
            if isPrepared { proxy.loseResponse(after: answer) }
            let removed = try await store.remove(session.id)
            #expect(removed?.session.payload.reveal() == "tokens")
            #expect(removed?.attachments.mapValues { $0.reveal() } == ["cart": "a cart"])
            #expect(try await direct.session(session.id) == nil)
            #expect(try await direct.attachment("cart", of: session.id) == nil)
        }
        #expect(proxy.lost == (answer < 5 ? 1 : 0))
    }

    @Test("a removal whose COMMIT was lost does not return the session if another caller has removed it")
    func removeAfterAnother() async throws {
        let schema = try await TestSchema()
        let (store, proxy, direct) = try await stage(schema)
        let session = try sampleSession()
        try await store.insert(session)
        let flag = Flag()
        proxy.loseNextCommit(after: flag)
        defer { flag.raise() }
        let first = Task { try await store.remove(session.id) }
        while proxy.heldCommits == 0 { try await Task.sleep(for: .milliseconds(5)) }
        // The other caller waits for the row, which the first one has locked, and gets it when the first transaction is rolled back.
        let second = Task { try await direct.remove(session.id) }
        try await schema.waitForBlockedStatement(in: direct)
        flag.raise()
        #expect(try await second.value?.session.payload.reveal() == "tokens")
        #expect(try await first.value == nil)
    }

    @Test("an attachment whose insertion got no response is added once")
    func attach() async throws {
        let (store, proxy, direct) = try await stage()
        let session = try sampleSession()
        try await store.insert(session)
        for name in ["first", "second"] {
            if name == "second" { proxy.loseNextResponse() }
            #expect(try await store.setAttachment(name, to: Secret("1"), of: session.id, expecting: nil))
            let revision = try #require(try await direct.attachment(name, of: session.id)).revision
            if name == "second" { proxy.loseNextResponse() }
            #expect(try await store.setAttachment(name, to: Secret("2"), of: session.id, expecting: revision))
            #expect(try await direct.attachment(name, of: session.id)?.payload.reveal() == "2")
            if name == "first" {
                #expect(try await store.setAttachment(name, to: nil, of: session.id, expecting: revision + 1))
            } else {
                // It is unknown whether this call removed the attachment, because another process may have removed it.
                proxy.loseNextResponse()
                await expect(.storeUnavailable, .retryLater) {
                    try await store.setAttachment(name, to: nil, of: session.id, expecting: revision + 1)
                }
                #expect(try await direct.attachment(name, of: session.id) == nil)
            }
        }
        #expect(proxy.lost == 3)
    }

    @Test("marking a token as used succeeds once even if the response is lost, and other callers find the token used")
    func mark() async throws {
        let (store, proxy, direct) = try await stage()
        let end = Date(timeIntervalSince1970: 2_000_000_000)
        #expect(try await store.markUsed("first", until: end))
        proxy.loseNextResponse()
        #expect(try await store.markUsed("second", until: end))
        #expect(proxy.lost == 1)
        #expect(try await !direct.markUsed("second", until: end))
        #expect(try await !store.markUsed("second", until: end))
    }

    @Test("if the response to the removal of a pending login is lost, no later caller gets the login")
    func take() async throws {
        let (store, proxy, direct) = try await stage()
        for (key, losing) in [("first", nil), ("second", 0), ("third", 1)] as [(String, Int?)] {
            let attempt = StoredLoginAttempt(
                key: key,
                tenant: "shop",
                expiresAt: Date(timeIntervalSince1970: 2_000_000_000),
                payload: Secret("attempt")
            )
            try await direct.insert(attempt)
            if let losing { proxy.loseResponse(after: losing) }
            if losing == 1 {
                await expect(.storeUnavailable, .retryLater) { try await store.takeLoginAttempt(key) }
            } else {
                #expect(try await store.takeLoginAttempt(key)?.tenant == "shop")
            }
            #expect(try await direct.takeLoginAttempt(key) == nil)
        }
        #expect(proxy.lost == 2)
    }

    @Test("a lock whose grant got no response belongs to the caller that requested it")
    func lock() async throws {
        let (store, proxy, direct) = try await stage()
        let id = try sampleSession().id
        try await store.withLock(.session(id), waitingUpTo: .zero) { _ in }
        proxy.loseNextResponse()
        try await store.withLock(.session(id), waitingUpTo: .zero) { lock in
            #expect(lock.isHeld)
            await expect(.refreshBusy, .retryLater) {
                try await direct.withLock(.session(id), waitingUpTo: .zero) { _ in }
            }
        }
        #expect(proxy.lost == 1)
        try await direct.withLock(.session(id), waitingUpTo: .seconds(30)) { _ in }
    }
}
#endif
