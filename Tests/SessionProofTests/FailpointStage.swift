import Foundation
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentityPostgres
import IdentitySQLite
import IdentitySandbox
import IdentityStoreKit
import Synchronization
import TestDirectories
import TestDoubles
import TestPostgres
import Testing

/// A fake provider in this process, and a store that the worker processes share.
final class FailpointStage: Sendable {
    /// A clock that runs ahead of the system clock by an offset.
    private final class AheadClock: IdentityClock {
        private let offset = Mutex(0.0)
        var now: Date { Date() + offset.withLock(\.self) }
        var elapsed: Duration { SystemClock().elapsed }
        func sleep(for duration: Duration) async throws { try await SystemClock().sleep(for: duration) }
        func advance(by seconds: Double) { offset.withLock { $0 += seconds } }
        var seconds: Double { offset.withLock(\.self) }
    }

    let sandbox: Sandbox
    private let clock: AheadClock
    private let folder: TemporaryDirectory
    private let key = String(repeating: "5a", count: 32)
    private let program = Program(name: "identity-kill-loop")

    /// The PostgreSQL server with a separate schema; nil for SQLite.
    private let database: (server: TestPostgresServer, schema: String)?
    /// The lease in seconds; the tests wait for its end after each crash.
    static let lease = 12
    /// How long a process waits before it continues a claim under another lease, in seconds; nil for the sum of its parts.
    private let claimWait: Int?

    private init(_ reuse: SandboxTokenReuse, _ server: TestPostgresServer?, claimWait: Int?) async throws {
        self.claimWait = claimWait
        database = server.map { ($0, "failpoint_\(UInt64.random(in: .min ... .max))") }
        let clock = AheadClock()
        self.clock = clock
        var configuration = SandboxConfiguration()
        configuration.clock = clock
        configuration.accessTokenLifetime = .seconds(600)
        configuration.tokenReuse = reuse
        sandbox = try await Sandbox.start(configuration)
        folder = try TemporaryDirectory("failpoint")
    }

    static func with(
        _ reuse: SandboxTokenReuse,
        on server: TestPostgresServer? = nil,
        claimWait: Int? = nil,
        _ body: (FailpointStage) async throws -> Void
    ) async throws {
        let stage = try await FailpointStage(reuse, server, claimWait: claimWait)
        try await cleaningUp(stage.close) { try await body(stage) }
    }

    private func close() async {
        await sandbox.stop()
        folder.remove()
    }

    private var path: String { folder.path(of: "identity.sqlite") }
    private var secret: String { sandbox.openID.configuration.clientSecret ?? "" }

    func expiredSession() async throws -> SessionID {
        var configuration = OpenIDProvider.Configuration(
            name: "any",
            issuer: sandbox.openID.issuer,
            clientID: sandbox.openID.configuration.clientID
        )
        configuration.authentication = .secretBasic(Secret(secret))
        configuration.redirectURI = "https://app.example/callback"
        configuration.allowsLoopbackHTTP = true
        let environment = IdentityEnvironment(transport: try CurlTransport(), clock: clock)
        // The timeout is two thirds of the lease.
        configuration.timeout = .seconds(8)
        let (store, closeStore) = try await openStore()
        let manager = SessionManager(
            providers: try ProviderRegistry([try OpenIDProvider(configuration, environment: environment)]),
            store: store,
            environment: environment
        )
        let id = try await LoginFlow(provider: "any", sessions: manager, presenter: SandboxBuyer()).login().id
        await closeStore()
        clock.advance(by: 700)
        return id
    }

    private func openStore() async throws -> (any SessionStore, () async -> Void) {
        let key = try StoreKey(hexadecimal: Secret(key))
        #if PostgreSQL
        if let database {
            var configuration = PostgresStore.Configuration(connection: database.server.local(), key: key)
            configuration.schema = database.schema
            let store = try await PostgresStore.open(configuration)
            return (store, { await store.close() })
        }
        #endif
        let store = try await SQLiteStore.open(SQLiteStore.Configuration(path: path, key: key))
        return (store, { await store.close() })
    }

    /// The lines that a process printed; each begins with a name and a space.
    struct Said: Sendable {
        let lines: [String]

        func said(_ name: String) -> String? {
            lines.first { $0.hasPrefix(name + " ") }.map { String($0.dropFirst(name.count + 1)) }
        }
    }

    /// Runs another process that repairs sessions, requests the session's tokens, and prints the results.
    func once(_ id: SessionID) async throws -> Said {
        let ended = try await program.run(["once", id.rawValue], environment: environment())
        #expect(ended.status == 0, "\(ended.output)")
        return Said(lines: ended.output.split(separator: "\n").map(String.init))
    }

    /// Starts a process that requests the session's tokens and is killed at a failpoint.
    func die(at point: String, _ id: SessionID) async throws {
        let isKilledHere = point == "bytes-left"
        // The process ends during this delay. The provider handles the request anyway.
        if isKilledHere { sandbox.openID.planFault(.delay(.seconds(600)), on: .token) }
        let refreshes = sandbox.openID.counters.refreshes
        let running = try program.launch(["once", id.rawValue, point], environment: environment())
        if isKilledHere {
            _ = await rotations(atLeast: refreshes + 1)
            running.crash()
        }
        let ended = await running.end()
        #expect(ended.status == 128 + SIGKILL, "\(ended.output)")
    }

    /// Starts a process that requests the session's tokens and is stopped at a failpoint.
    func stop(at point: String, _ id: SessionID) async throws -> Program.Running {
        let running = try program.launch(["once", id.rawValue, point], environment: environment())
        try await running.waitUntilStopped()
        return running
    }

    /// Resumes a stopped process and waits for its end.
    func resume(_ running: Program.Running) async -> Said {
        running.resume()
        let ended = await running.end()
        #expect(ended.status == 0, "\(ended.output)")
        return Said(lines: ended.output.split(separator: "\n").map(String.init))
    }

    /// Waits up to two minutes until the provider has refreshed this often, and returns its number of refreshes.
    func rotations(atLeast count: Int) async -> Int {
        for _ in 0..<12_000 where sandbox.openID.counters.refreshes < count {
            try? await Task.sleep(for: .milliseconds(10))
        }
        return sandbox.openID.counters.refreshes
    }

    private func environment() -> [String: String] {
        var order: JSONObject = [
            "issuer": .string(sandbox.openID.issuer), "clientSecret": .string(secret), "path": .string(path),
            "schema": .string(database?.schema ?? ""), "lease": .integer(Self.lease), "key": .string(key),
            "speed": .integer(1), "epoch": .integer(0),
            "offset": .integer(Int(clock.seconds)),
        ]
        if let claimWait { order["claimWait"] = .integer(claimWait) }
        if let database {
            order["postgres"] = .string(database.server.local().reveal())
            order["spool"] = .string(folder.path(of: "spool"))
        }
        return ["KILL_LOOP_ORDER": String(decoding: JSONValue.object(order).serialized, as: UTF8.self)]
    }
}
