#if PostgreSQL
import FoundationEssentials
import IdentityKit
import TestPostgres
import TestStores
import Testing

@testable import IdentityPostgres

@Suite(
    "Locks in PostgreSQL",
    .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql"),
    .timeLimit(.minutes(5))
)
struct LockTests {
    @Test("a lease that is not renewed expires, and its holder knows before another holder gets it")
    func deadHolder() async throws {
        let schema = try await TestSchema()
        let stores = [try await schema.open(), try await schema.open()]
        let id = try sampleSession().id
        let key = StoreRecords.rowKey(try stores[0].records.hash(of: LockName.session(id)))
        let before = ContinuousClock.now
        // The state after a process was killed or stopped: the lease is not renewed.
        let lease = try #require(try await stores[0].leases.take(key, lasting: .seconds(2)))
        await expect(.refreshBusy, .retryLater) {
            try await stores[1].withLock(.session(id), waitingUpTo: .zero) { _ in }
        }
        try await stores[1].withLock(.session(id), waitingUpTo: .seconds(60)) { _ in
            #expect(lease.remaining <= .zero)
            #expect(ContinuousClock.now - before >= .seconds(2))
        }
    }

    @Test("a lease that is requested again after a lost response lasts from the second request for all callers")
    func repeated() async throws {
        let schema = try await TestSchema()
        let (store, waiter) = (try await schema.open(), try await schema.open())
        let length = Duration.seconds(2)
        let lease = try #require(try await store.leases.take(7, lasting: length))
        // Another process reads the lease before its holder asks again.
        #expect(try await waiter.leases.take(7, lasting: length) == nil)
        try await Task.sleep(for: .seconds(1))
        let asked = ContinuousClock.now
        let values: [Value] = [.integer(7), .bytes(lease.holder), lease.milliseconds, .null, .null]
        let rows = try await store.client.perform(
            store.leases.sql.takeLease,
            values,
            needsWriting: true,
            by: store.client.deadline
        )
        #expect(rows.first?.flag(0) == true)
        lease.confirm(sentAt: asked)
        while try await waiter.leases.take(7, lasting: length) == nil { try await Task.sleep(for: .milliseconds(20)) }
        #expect(lease.remaining <= .zero)
    }

    @Test("a lease is renewed for as long as the body runs")
    func refresh() async throws {
        let schema = try await TestSchema()
        let stores = [
            try await schema.open { $0.locking = .lease(.seconds(15)) },
            try await schema.open { $0.locking = .lease(.seconds(15)) },
        ]
        let id = try sampleSession().id
        // The leases have the longest permitted duration, because a busy machine may renew a lease some seconds late.
        try await stores[0].withLock(.session(id), waitingUpTo: .zero) { lock in
            await expect(.refreshBusy, .retryLater) {
                try await stores[1].withLock(.session(id), waitingUpTo: .seconds(17)) { _ in
                    Issue.record("Two callers hold the lock at the same time.")
                }
            }
            #expect(lock.isHeld)
        }
    }

    @Test("if its lease cannot be renewed, a lock is reported as lost before another caller can get it")
    func unrefreshed() async throws {
        let server = try await TestPostgresServer.start()
        let schema = try await TestSchema(on: server)
        let store = try await schema.open { $0.locking = .lease(.seconds(12)) }
        let id = try sampleSession().id
        try await store.withLock(.session(id), waitingUpTo: .zero) { lock in
            #expect(lock.isHeld)
            try await server.command("signal STOP")
            // The stopped server confirms no renewal, so the lease runs out.
            try await Task.sleep(for: .seconds(11.5))
            #expect(!lock.isHeld)
            try await server.command("signal CONT")
        }
    }

    @Test("the remaining time of a lease is counted from before its request was sent")
    func remaining() async throws {
        let store = try await TestSchema().open()
        let lease = Lease(store.leases, key: 1, holder: [], duration: .seconds(12))
        #expect(lease.remaining <= .zero)
        lease.confirm(sentAt: .now - .seconds(12))
        #expect(lease.remaining <= .zero)
        let now = ContinuousClock.now
        lease.confirm(sentAt: now)
        let remaining = lease.remaining
        #expect(remaining <= .seconds(11.5) && remaining >= .seconds(11.5) - (ContinuousClock.now - now))
        // The confirmation of an earlier request does not shorten the lease.
        lease.confirm(sentAt: now - .seconds(10))
        #expect(lease.remaining >= .seconds(11.5) - (ContinuousClock.now - now))
        lease.lose()
        lease.confirm(sentAt: .now)
        #expect(lease.remaining <= .zero)
    }

    @Test("a lock is no longer reported as held when another holder has the lease")
    func taken() async throws {
        let schema = try await TestSchema()
        let store = try await schema.open { $0.locking = .lease(.seconds(6)) }
        let id = try sampleSession().id
        try await store.withLock(.session(id), waitingUpTo: .zero) { lock in
            try await store.execute("UPDATE §lease SET holder = 'somebody else'")
            while lock.isHeld { try await Task.sleep(for: .milliseconds(20)) }
        }
        // The old holder does not release the lease of the new one.
        #expect(try await store.execute("SELECT count(*) FROM §lease").first?.integer(0) == 1)
    }

    @Test("a notification wakes a waiting caller")
    func notification() async throws {
        let schema = try await TestSchema()
        let stores = [try await schema.open(), try await schema.open()]
        let id = try sampleSession().id
        let key = StoreRecords.rowKey(try stores[0].records.hash(of: LockName.session(id)))
        let isAwake = Flag()
        async let sleeper: Void = {
            await stores[0].client.waitForRelease(of: key, for: .seconds(86_400))
            isAwake.raise()
        }()
        // Repeat the notification, because the first may arrive before the waiter listens.
        while !isAwake.isRaised {
            try await stores[1].withLock(.session(id), waitingUpTo: .seconds(60)) { _ in }
            try await Task.sleep(for: .milliseconds(20))
        }
        await sleeper
    }

    @Test("an advisory lock ends with its connection, and its holder knows")
    func advisory() async throws {
        let schema = try await TestSchema()
        let stores = [
            try await schema.open { $0.locking = .advisory }, try await schema.open { $0.locking = .advisory },
        ]
        let id = try sampleSession().id
        let key = StoreRecords.rowKey(try stores[0].records.hash(of: LockName.session(id)))
        try await stores[0].withLock(.session(id), waitingUpTo: .zero) { lock in
            #expect(lock.isHeld)
            try await stores[1].execute(
                """
                SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
                AND (classid::bigint << 32 | objid::bigint) = $1
                """,
                .integer(key)
            )
            try await stores[1].withLock(.session(id), waitingUpTo: .seconds(60)) { other in
                #expect(other.isHeld)
                while lock.isHeld { try await Task.sleep(for: .milliseconds(20)) }
            }
        }
        try await stores[0].withLock(.session(id), waitingUpTo: .seconds(60)) { #expect($0.isHeld) }
    }

    @Test("an advisory lock is kept while the server does not respond for some seconds")
    func stalledServer() async throws {
        let server = try await TestPostgresServer.start()
        let store = try await TestSchema(on: server).open { $0.locking = .advisory }
        try await store.withLock(.session(try sampleSession().id), waitingUpTo: .zero) { lock in
            try await server.command("signal STOP")
            try await Task.sleep(for: .seconds(4.5))
            try await server.command("signal CONT")
            #expect(lock.isHeld)
            // The next check of the connection keeps the lock.
            try await Task.sleep(for: .seconds(3))
            #expect(lock.isHeld)
        }
    }

    @Test("an advisory lock that cannot be released ends with its connection")
    func stuck() async throws {
        let schema = try await TestSchema()
        let stores = [
            try await schema.open {
                $0.locking = .advisory
                // The limit is long enough to open the store on a busy machine. The unlock waits for the whole limit.
                $0.callLimit = .seconds(10)
            },
            try await schema.open { $0.locking = .advisory },
        ]
        let id = try sampleSession().id
        let client = stores[0].client
        let isBusy = try await stores[0].withLock(.session(id), waitingUpTo: .zero) { _ in
            // This statement runs before the unlock on the same connection and uses up the remaining time.
            let task = Task {
                let sleep = Statement("SELECT pg_sleep(100)")
                _ = try? await client.send(sleep, [], to: .direct, by: .now + .seconds(120))
            }
            let running = "SELECT FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(100)' AND state = 'active'"
            while try await stores[1].execute(running).isEmpty { try await Task.sleep(for: .milliseconds(20)) }
            return task
        }
        try await stores[1].withLock(.session(id), waitingUpTo: .seconds(40)) { #expect($0.isHeld) }
        await isBusy.value
        try await stores[1].withLock(.session(id), waitingUpTo: .zero) { _ in }
    }
}
#endif
