#if PostgreSQL
import FoundationEssentials
import IdentityKit
import IdentityTesting
import TestDirectories
import TestDoubles
import TestPostgres
import TestStores
import Testing

@testable import IdentityPostgres

@Suite(
    "Lost locks and clock jumps",
    .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql"),
    .timeLimit(.minutes(5))
)
struct LostLeaseTests {
    @Test(
        "after an outage of the database, no machine sends a refresh token that another has used, with leases or with advisory locks",
        arguments: [false, true]
    )
    func outage(isAdvisory: Bool) async throws {
        let server = try await TestPostgresServer.start()
        let schema = try await TestSchema(on: server)
        let folder = try TemporaryDirectory("postgres-spool")
        defer { folder.remove() }
        func node(_ spool: String) async throws -> PostgresStore {
            try await schema.open {
                $0.locking = isAdvisory ? .advisory : .lease(.seconds(12))
                $0.callLimit = .seconds(3)
                $0.spoolDirectory = folder.path(of: spool)
            }
        }
        let stores = [try await node("one"), try await node("two")]
        let isStopped = Flag()
        let provider = OneUseProvider(timeout: .seconds(4)) {
            // Stops the server right after the provider has rotated the token. isStopped shows whether this worked.
            if (try? await server.command("stop immediate")) != nil { isStopped.raise() }
        }
        // The second machine waits on this clock for the first one to save its response. So a delay of the test does not count.
        let clock = ManualClock(now: Date())
        let managers = try zip(stores, [SystemClock(), clock] as [any IdentityClock]).map { store, clock in
            SessionManager(
                providers: try ProviderRegistry([provider]),
                store: store,
                environment: IdentityEnvironment(transport: NoNetwork(), clock: clock)
            )
        }
        let id = try await managers[0].establish(provider.tokens(serial: 0, expiresIn: -10), provider: "shopify").id
        #expect(try await managers[0].tokens(for: id).tokens.accessToken.reveal() == "access-1")
        #expect(isStopped.isRaised)
        // The five seconds for saving have passed.
        try await Task.sleep(for: .seconds(7))
        try await server.command("start")
        var busy = 0
        // The lease of the first machine ends during these repairs.
        for _ in 0..<400 where busy < 40 {
            let seen = (try? await managers[1].repair())?.busy ?? 0
            busy += seen
            clock.advance(by: .milliseconds(250 * seen))
            try await Task.sleep(for: .milliseconds(500))
        }
        #expect(busy == 40)
        #expect(provider.requests == 1)
        var repaired = 0
        for _ in 0..<400 where repaired == 0 {
            repaired = (try? await managers[0].repair())?.repaired ?? 0
            if repaired == 0 { try await Task.sleep(for: .milliseconds(100)) }
        }
        #expect(repaired == 1)
        #expect(try await managers[1].tokens(for: id).tokens.accessToken.reveal() == "access-1")
        #expect(provider.requests == 1)
        #expect(provider.reuses == 0)
    }

    @Test("a jump of the server's clock creates no second lock holder and delays no caller")
    func steps() async throws {
        let schema = try await TestSchema()
        let plain = try await schema.open()
        // On the connections of the other stores, the server's clock functions are ahead by the value in a table.
        let clock = "\(schema.name)_clock"
        try await plain.execute("CREATE SCHEMA \(clock)")
        try await plain.execute("CREATE TABLE \(clock).step AS SELECT 0::double precision AS seconds")
        for function in ["clock_timestamp", "now", "statement_timestamp", "transaction_timestamp"] {
            try await plain.execute(
                """
                CREATE FUNCTION \(clock).\(function)() RETURNS timestamptz LANGUAGE sql VOLATILE AS
                'SELECT pg_catalog.\(function)() + (SELECT seconds FROM \(clock).step) * interval ''1 second'''
                """
            )
        }
        func node() async throws -> PostgresStore {
            try await schema.open {
                $0.connection = Secret($0.connection.reveal() + "&options=-csearch_path%3D\(clock)%2Cpg_catalog")
            }
        }
        @Sendable func step(to seconds: Int) async throws {
            try await plain.execute("UPDATE \(clock).step SET seconds = \(seconds)")
        }
        let stores = [try await node(), try await node()]
        let id = try sampleSession().id
        try await stores[0].withLock(.session(id), waitingUpTo: .zero) { lock in
            try await step(to: 7200)
            let isAhead = try await stores[1].execute("SELECT clock_timestamp() > pg_catalog.clock_timestamp()")
            #expect(isAhead.first?.flag(0) == true)
            await expect(.refreshBusy, .retryLater) {
                try await stores[1].withLock(.session(id), waitingUpTo: .seconds(2)) { _ in
                    Issue.record("Two callers hold the lock at the same time.")
                }
            }
            #expect(lock.isHeld)
        }
        // A holder that crashes before the clock is set back by two hours.
        let key = StoreRecords.rowKey(try stores[0].records.hash(of: LockName.session(id)))
        _ = try #require(try await stores[0].leases.take(key, lasting: .seconds(2)))
        try await step(to: 0)
        try await stores[1].withLock(.session(id), waitingUpTo: .seconds(60)) { #expect($0.isHeld) }
    }

    @Test("a lease row with a longer time than can be configured does not block other callers for that time")
    func longLease() async throws {
        let schema = try await TestSchema()
        let store = try await schema.open()
        let id = try sampleSession().id
        let key = StoreRecords.rowKey(try store.records.hash(of: LockName.session(id)))
        _ = try #require(try await store.leases.take(key, lasting: .seconds(86_400)))
        try await store.withLock(.session(id), waitingUpTo: .seconds(60)) { #expect($0.isHeld) }
    }

    @Test("a sweep removes leases without a holder, and no lease that is renewed")
    func sweep() async throws {
        let schema = try await TestSchema()
        let store = try await schema.open()
        // A sweep that is suspended for this long right after it has read a renewed lease would remove the lease.
        let length = Duration.seconds(3)
        _ = try #require(try await store.leases.take(1, lasting: length))
        _ = try #require(try await store.leases.take(2, lasting: length))
        for _ in 0..<2 {
            _ = try await store.sweep(expiredBefore: Date())
            try await Task.sleep(for: length + .milliseconds(100))
            // Renews the lease of key 2, as its running holder would.
            try await store.execute("UPDATE §lease SET renewals = renewals + 1 WHERE key = 2")
        }
        _ = try await store.sweep(expiredBefore: Date())
        #expect(try await store.execute("SELECT key FROM §lease").all.map { $0.integer(0) } == [2])
    }
}
#endif
