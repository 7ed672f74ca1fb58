#if PostgreSQL
import FoundationEssentials
import IdentityKit
import IdentityStoreKit
import TestDoubles
import TestPostgres
import TestStores
import Testing

@testable import IdentityPostgres

@Suite(
    "A PostgreSQL server in trouble",
    .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql"),
    .timeLimit(.minutes(5))
)
struct ServerTroubleTests {
    @Test("restarts and broken connections under load lose nothing that was acknowledged")
    func load() async throws {
        let server = try await TestPostgresServer.start()
        let schema = try await TestSchema(on: server)
        let stores = [try await schema.open(), try await schema.open()]
        let isOver = Flag()
        let acknowledged = try await withThrowingTaskGroup(of: StoredSession.self) { group in
            for number in 0..<8 {
                group.addTask {
                    var session = try sampleSession(subject: "buyer \(number)")
                    try await stores[number % 2].insert(session)
                    // Each session is replaced at least once, also if this task starts late.
                    while !isOver.isRaised || session.generation == StoredSession.firstGeneration {
                        try Task.checkCancellation()
                        let next = session.next("tokens \(session.generation + 1)")
                        do {
                            guard try await stores[number % 2].replace(next, expecting: session.generation) else {
                                Issue.record("A session that only this task writes has another generation.")
                                return session
                            }
                            session = next
                        } catch let error as IdentityError {
                            // It is unknown whether the replacement took effect, so the test continues with the stored row.
                            #expect(error.kind == .retryLater, "\(error)")
                            while true {
                                try Task.checkCancellation()
                                guard let found = try? await stores[0].session(session.id) else { continue }
                                #expect(found.generation == session.generation || found.generation == next.generation)
                                session = found
                                break
                            }
                        }
                    }
                    return session
                }
            }
            for round in 0..<6 {
                try await Task.sleep(for: .milliseconds(300))
                if round == 2 || round == 4 {
                    try await server.command(round == 2 ? "stop fast" : "stop immediate")
                    try await server.command("start")
                } else {
                    _ = try? await stores[0].execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                    )
                }
            }
            isOver.raise()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for session in acknowledged {
            let found = try await stores[1].session(session.id)
            #expect(found?.generation == session.generation)
            #expect(found?.payload.isEqual(to: session.payload) == true)
            #expect(session.generation > StoredSession.firstGeneration)
        }
    }

    @Test(
        "a call to a server that does not respond fails at its time limit, and the store works again when the server does"
    )
    func hanging() async throws {
        let server = try await TestPostgresServer.start()
        let schema = try await TestSchema(on: server)
        let session = try sampleSession()
        try await schema.open().insert(session)
        // Only the calls that must fail need short limits. On a busy machine, opening may exceed them.
        let store = try await eventually {
            try await schema.open {
                $0.callLimit = .seconds(2)
                $0.connectLimit = .seconds(2)
            }
        }
        try await server.command("signal STOP")
        await expect(.storeUnavailable, .retryLater) { try await store.session(session.id) }
        await expect(.storeUnavailable, .retryLater) {
            try await store.replace(session.next("x"), expecting: session.generation)
        }
        try await server.command("signal CONT")
        let found = try await eventually { try await store.session(session.id) }
        // The server may have received the statement before it was stopped, and then executes it.
        #expect(["tokens", "x"].contains(found?.payload.reveal()))
    }

    @Test("a server that is down is unavailable, and is used again when it is up")
    func down() async throws {
        let server = try await TestPostgresServer.start()
        let schema = try await TestSchema(on: server)
        let session = try sampleSession()
        try await schema.open().insert(session)
        let store = try await eventually { try await schema.open { $0.callLimit = .milliseconds(500) } }
        try await server.command("stop fast")
        for _ in 0..<3 { await expect(.storeUnavailable, .retryLater) { try await store.session(session.id) } }
        await expect(.storeUnavailable, .retryLater) { try await store.checkReadable() }
        try await server.command("start")
        #expect(try await eventually { try await store.session(session.id) } != nil)
    }

    @Test("a call waits for a server that restarts")
    func moment() async throws {
        let server = try await TestPostgresServer.start(settings: ["fsync = off"])
        let schema = try await TestSchema(on: server)
        let store = try await schema.open()
        // A health check reports the settings that durability depends on.
        #expect(try await store.checkHealth().problems.first?.contains("fsync") == true)
        let session = try sampleSession()
        try await store.insert(session)
        try await server.command("stop fast")
        async let answer = store.replace(session.next("x"), expecting: session.generation)
        try await server.command("start")
        #expect(try await answer)
    }

    @Test("a server that accepts no writes still serves reads; saves are refused until it, or another, accepts them")
    func readOnly() async throws {
        let server = try await TestPostgresServer.start()
        let schema = try await TestSchema(on: server)
        let store = try await schema.open()
        let session = try sampleSession()
        try await store.insert(session)
        try await server.command("append default_transaction_read_only = on")
        try await server.command("reload")
        let error = try await eventually {
            do {
                _ = try await store.replace(session, expecting: session.generation)
                throw TestPostgresServer.Failure(text: "still accepts writes")
            } catch let error as IdentityError { return error }
        }
        #expect(error.code == .storeReadOnly && error.kind == .retryLater)
        #expect(try await store.session(session.id)?.payload.reveal() == "tokens")
        await expect(.storeReadOnly, .retryLater) { try await store.remove(session.id) }
        await expect(.storeReadOnly, .retryLater) { try await store.takeLoginAttempt("x") }
        // A store can also be opened at this server for reading.
        let reader = try await schema.open()
        #expect(try await reader.session(session.id) != nil)
        // If the connection string names several servers, the one that accepts writes is found, in any order.
        let other = try await TestSchema()
        let found = try await other.open {
            $0.connection = Secret(
                """
                host=127.0.0.1,127.0.0.1,127.0.0.1 port=1,\(server.port),\(other.server.port) dbname=postgres \
                user=\(TestPostgresServer.user) password=\(TestPostgresServer.password)
                """
            )
        }
        try await found.insert(session)
        // On a busy machine, the time limit may end before the server was found to be read-only.
        let refused = try await eventually {
            do {
                _ = try await schema.open {
                    $0.connection = schema.server.network(parameters: "?target_session_attrs=read-write")
                    $0.callLimit = .milliseconds(500)
                }
                throw TestPostgresServer.Failure(text: "uses a read-only server")
            } catch let error as IdentityError where error.code == .storeReadOnly { return error }
        }
        #expect(refused.kind == .retryLater)
        try await server.command("append default_transaction_read_only = off")
        try await server.command("reload")
        let isReplaced = try await eventually {
            try await store.replace(session.next("x"), expecting: session.generation)
        }
        #expect(isReplaced)
    }

    @Test(
        "a read-only server cannot prove that a session is unknown, and the pool leaves it when another server accepts writes"
    )
    func behind() async throws {
        // Two independent servers, like a primary and a standby that is far behind.
        let (primary, standby) = (try await TestPostgresServer.start(), try await TestPostgresServer.start())
        let schema = try await TestSchema(on: primary)
        let observer = try await schema.open { $0.connection = standby.local() }
        try await standby.command("append default_transaction_read_only = on")
        try await standby.restart()
        let name = "reader-\(schema.name)"
        let store = try await schema.open {
            $0.connection = Secret(
                """
                host=127.0.0.1,127.0.0.1 port=\(primary.port),\(standby.port) dbname=postgres \
                user=\(TestPostgresServer.user) password=\(TestPostgresServer.password) application_name=\(name)
                """
            )
            $0.listensForNotifications = false
            // There are enough connections, so that no connection must be closed for another.
            $0.maximumConnections = 64
        }
        let readers = {
            let sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = convert_from($1, 'UTF8')"
            let statement = Statement(sql, [.bytes])
            return try await observer.client.read(statement, .text(name)).first?.integer(0)
        }
        let session = try sampleSession()
        try await store.insert(session)
        try await primary.command("stop fast")
        await expect(.storeUnavailable, .retryLater) { try await store.session(session.id) }
        await expect(.storeUnavailable, .retryLater) { try await store.attachment("cart", of: session.id) }
        await expect(.storeUnavailable, .retryLater) { try await store.isUsed("token") }
        // A probe must not take every process out of service, because sessions can still be read.
        let manager = SessionManager(
            providers: try ProviderRegistry([]),
            store: store,
            environment: IdentityEnvironment(transport: NoNetwork())
        )
        #expect(await manager.readiness().isReady)
        // A logout of a buyer must not miss a session.
        let buyer = SessionFilter(buyer: (session.issuer, session.subject))
        await expect(.storeReadOnly, .retryLater) { try await store.sessions(matching: buyer) }
        #expect(try await readers() != 0)
        try await primary.command("start")
        #expect(try await eventually { try await store.session(session.id) } != nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 { group.addTask { _ = try #require(try await store.session(session.id)) } }
            try await group.waitForAll()
        }
        // The server notices the end of a connection a moment later.
        try await eventually {
            guard try await readers() == 0 else {
                throw TestPostgresServer.Failure(text: "the standby is still used for reads")
            }
        }
    }

    @Test("the server must have a valid certificate, if the connection string requires it")
    func certificate() async throws {
        let server = try await TestPostgresServer.start()
        try await server.command("certify IP:127.0.0.1")
        try await server.restart()
        let schema = try await TestSchema(on: server)
        let root = "sslmode=verify-full&sslrootcert=\(server.folder)/ca.pem"
        let store = try await schema.open { $0.connection = server.network(parameters: "?\(root)") }
        let isEncrypted = try await store.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        #expect(isEncrypted.first?.flag(0) == true)
        try await store.insert(try sampleSession())
        // A certificate of an unknown authority, and one for another name.
        for connection in [
            server.network(parameters: "?sslmode=verify-full&sslrootcert=/etc/ssl/certs/ca-certificates.crt"),
            Secret(
                """
                host=db.example hostaddr=127.0.0.1 port=\(server.port) user=\(TestPostgresServer.user) dbname=postgres \
                password=\(TestPostgresServer.password) sslmode=verify-full sslrootcert=\(server.folder)/ca.pem
                """
            ),
        ] {
            let error = await expect(.configurationInvalid, .configuration) {
                try await schema.open { $0.connection = connection }
            }
            #expect(error?.message.contains("TLS") == true)
        }
    }

    /// Repeats an operation for a while, because a server that has just restarted may refuse it at first.
    private func eventually<R>(_ body: () async throws -> R) async throws -> R {
        for _ in 0..<1_200 {
            do {
                return try await body()
            } catch {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        return try await body()
    }
}
#endif
