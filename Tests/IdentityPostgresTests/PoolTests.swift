#if PostgreSQL
import FoundationEssentials
import IdentityKit
import TestPostgres
import TestStores
import Testing

@testable import IdentityPostgres

@Suite(
    "The pool of connections",
    .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql"),
    .timeLimit(.minutes(5))
)
struct PoolTests {
    @Test("the pool serves many callers over few connections, and opens no more")
    func bounds() async throws {
        let schema = try await TestSchema()
        let name = "pool-\(schema.name)"
        let store = try await schema.open {
            $0.connection = Secret($0.connection.reveal() + "&application_name=\(name)")
            $0.maximumConnections = 2
            $0.listensForNotifications = false
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 { group.addTask { try await store.insert(try sampleSession()) } }
            try await group.waitForAll()
        }
        #expect(try await store.sessions(matching: SessionFilter()).count == 200)
        let open = try await store.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = convert_from($1, 'UTF8')",
            .text(name)
        )
        #expect(open.first?.integer(0) == 2)
    }

    @Test("a call that only waits for a connection fails as store_busy")
    func crowded() async throws {
        let schema = try await TestSchema()
        let store = try await schema.open { $0.maximumConnections = 1 }
        _ = try await store.client.transaction(by: .now + .seconds(60)) { _ in
            await expect(.storeBusy, .retryLater) {
                try await store.client.repeating(for: .milliseconds(500)) { deadline, _ in
                    try await store.client.perform(store.sql.rare("SELECT 1"), [], needsWriting: true, by: deadline)
                }
            }
        }
        try await store.insert(try sampleSession())
    }

    @Test("the pool works after callers were cancelled at any moment")
    func cancellation() async throws {
        let schema = try await TestSchema()
        let store = try await schema.open { $0.maximumConnections = 2 }
        let session = try sampleSession()
        try await store.insert(session)
        for _ in 0..<20 {
            let tasks = (0..<8).map { number in
                Task {
                    if number.isMultiple(of: 2) {
                        let other = try sampleSession()
                        try await store.insert(other)
                        return try await store.remove(other.id) != nil
                    }
                    return try await store.withLock(.session(session.id), waitingUpTo: .seconds(30)) { _ in
                        try await store.session(session.id) != nil
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(1))
            for task in tasks { task.cancel() }
            for task in tasks { _ = await task.result }
        }
        // Every connection is outside of a transaction, and no lock remains.
        try await store.withLock(.session(session.id), waitingUpTo: .zero) { _ in }
        let open = try await store.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND query LIKE '%\(schema.name)%'"
        )
        #expect(open.first?.integer(0) == 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 { group.addTask { _ = try #require(try await store.session(session.id)) } }
            try await group.waitForAll()
        }
    }

    @Test("the pool drops a connection that was left in a transaction, and continues with another")
    func leftInTransaction() async throws {
        let schema = try await TestSchema()
        let store = try await schema.open { $0.maximumConnections = 1 }
        let before = try await store.execute("SELECT pg_backend_pid()::bigint").first?.integer(0)
        try await store.execute("BEGIN")
        let after = try await store.execute("SELECT pg_backend_pid()::bigint").first?.integer(0)
        #expect(before != nil && after != nil && before != after)
    }

    @Test("the pool leaves no session state on a connection behind a pooler")
    func pooler() async throws {
        let schema = try await TestSchema()
        let store = try await schema.open {
            $0.usesTransactionPooler = true
            $0.maximumConnections = 1
        }
        let session = try sampleSession()
        try await store.insert(session)
        #expect(try await store.replace(session.next("x"), expecting: session.generation))
        try await store.withLock(.session(session.id), waitingUpTo: .zero) { _ in }
        #expect(try await store.execute("SELECT count(*) FROM pg_prepared_statements").first?.integer(0) == 0)
        let settings = try await store.execute("SELECT count(*) FROM pg_settings WHERE source = 'session'")
        #expect(settings.first?.integer(0) == 0)
        #expect(try await store.execute("SELECT count(*) FROM pg_listening_channels()").first?.integer(0) == 0)
        // A store without a pooler prepares its frequent statements.
        let other = try await schema.open { $0.maximumConnections = 1 }
        _ = try await other.session(session.id)
        let prepared = try await other.execute("SELECT count(*) FROM pg_prepared_statements").first?.integer(0) ?? 0
        #expect(prepared > 0)
    }

    @Test("the pool continues when a connection loses its prepared statements")
    func discarded() async throws {
        let schema = try await TestSchema()
        let store = try await schema.open { $0.maximumConnections = 1 }
        let session = try sampleSession()
        try await store.insert(session)
        #expect(try await store.setAttachment("cart", to: Secret("x"), of: session.id, expecting: nil))
        #expect(try await store.remove(session.id) != nil)
        try await store.execute("DISCARD ALL")
        try await store.insert(session)
        #expect(try await store.setAttachment("cart", to: Secret("x"), of: session.id, expecting: nil))
        try await store.execute("DISCARD ALL")
        #expect(try await store.remove(session.id)?.attachments.count == 1)
    }

    @Test("a transaction is repeated when its connection has lost its prepared statements")
    func discardedBeforeTransaction() async throws {
        let schema = try await TestSchema()
        let store = try await schema.open { $0.maximumConnections = 1 }
        let sessions = [try sampleSession(), try sampleSession()]
        for session in sessions {
            try await store.insert(session)
            #expect(try await store.setAttachment("cart", to: Secret("x"), of: session.id, expecting: nil))
        }
        // The first removal prepares the statements of the second one.
        #expect(try await store.remove(sessions[0].id) != nil)
        try await store.execute("DISCARD ALL")
        #expect(try await store.remove(sessions[1].id)?.attachments.count == 1)
    }

    @Test(
        "the pool works through PgBouncer in transaction mode",
        .enabled(if: Bouncer.isAvailable, "apt-get install pgbouncer")
    )
    func bouncer() async throws {
        let schema = try await TestSchema()
        let bouncer = try await Bouncer.start(before: schema.server)
        let stores = [
            try await schema.open {
                $0.connection = bouncer.connection
                $0.usesTransactionPooler = true
                $0.directConnection = schema.server.local()
            },
            try await schema.open {
                $0.connection = bouncer.connection
                $0.usesTransactionPooler = true
            },
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    let store = stores[number % 2]
                    let session = try sampleSession()
                    try await store.insert(session)
                    #expect(try await store.setAttachment("cart", to: Secret("x"), of: session.id, expecting: nil))
                    let isReplaced = try await store.withLock(.session(session.id), waitingUpTo: .seconds(60)) { _ in
                        try await store.replace(session.next("y"), expecting: session.generation)
                    }
                    #expect(isReplaced)
                    #expect(try await stores[(number + 1) % 2].remove(session.id)?.session.payload.reveal() == "y")
                }
            }
            try await group.waitForAll()
        }
        for store in stores { await store.close() }
        await bouncer.stop()
    }

    @Test("calls fail after the pool was closed")
    func closing() async throws {
        let store = try await TestSchema().open()
        await store.close()
        await store.close()
        let id = try sampleSession().id
        await expect(.storeFailed, .retryLater) { try await store.session(id) }
        await expect(.storeFailed, .retryLater) { try await store.remove(id) }
    }
}
#endif
