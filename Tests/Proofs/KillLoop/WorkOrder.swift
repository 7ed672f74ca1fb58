internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC
internal import IdentityPostgres
internal import IdentitySQLite
internal import IdentityStoreKit

/// The settings of all processes of a run, passed in one environment variable.
struct WorkOrder: Codable, Sendable {
    static let variable = "KILL_LOOP_ORDER"
    var issuer: String
    var clientSecret: String
    /// The SQLite file; not used with a PostgreSQL connection.
    var path: String
    var postgres: String?
    var schema = "kill_loop"
    /// How long a process waits before it continues a claim under another lease, in seconds; nil for the sum of its parts.
    var claimWait: Int?
    var spool: String?
    /// The duration of a lease in PostgreSQL, in seconds.
    var lease = 12
    /// 64 hexadecimal digits.
    var key: String
    /// The factor by which the run's clocks are faster than the system's.
    var speed = 1.0
    /// The time, in seconds, at which the run's clocks equal the system's.
    var epoch: Double
    /// A further offset of the run's clocks.
    var offset = 0.0
    /// A fault that the run must detect.
    var mutant: Mutant?

    /// The time limit of a request; with leases it is at most two thirds of a lease.
    private var timeout: Duration { postgres == nil ? .seconds(60) : Duration.seconds(lease) * 2 / 3 }

    var clock: RunClock { RunClock(epoch: epoch, speed: speed, offset: offset) }

    func store() async throws -> any SessionStore {
        let key = try StoreKey(hexadecimal: Secret(key))
        // The store uses the real clock, because processes are stopped for real time and locks are awaited in real time.
        guard let postgres else {
            return try await SQLiteStore.open(
                SQLiteStore.Configuration(path: path, key: key, lockWait: .seconds(60))
            )
        }
        #if PostgreSQL
        var configuration = PostgresStore.Configuration(connection: Secret(postgres), key: key)
        configuration.schema = schema
        configuration.spoolDirectory = spool
        configuration.locking = .lease(.seconds(lease))
        return try await PostgresStore.open(configuration)
        #else
        throw IdentityError(
            .configuration,
            .configurationInvalid,
            "This program was built without PostgreSQL.",
            hint: "Install libpq-dev and start it with Tests/Proofs/kill-loop."
        )
        #endif
    }

    func manager(_ store: any SessionStore, _ transport: any HTTPTransport) throws -> SessionManager {
        var configuration = OpenIDProvider.Configuration(
            name: "any",
            issuer: issuer,
            clientID: "sandbox-openid-client"
        )
        configuration.authentication = .secretBasic(Secret(clientSecret))
        configuration.redirectURI = "https://app.example/callback"
        configuration.timeout = timeout
        configuration.allowsLoopbackHTTP = true
        let environment = IdentityEnvironment(transport: transport, clock: clock)
        let provider = OrderCheckingProvider(inner: try OpenIDProvider(configuration, environment: environment))
        var managing = SessionManager.Configuration()
        // The times are multiplied by the speed, because logins, requests, waits and stops take real time.
        managing.attemptLifetime = managing.attemptLifetime * speed
        managing.lockWait = Duration.seconds(30) * speed
        managing.claimWait = (claimWait.map { Duration.seconds($0) } ?? (timeout + .seconds(10))) * speed
        return SessionManager(
            providers: try ProviderRegistry([provider]),
            store: store,
            environment: environment,
            configuration: managing
        )
    }
}

/// The clock of all processes of a run, faster than the system's by a factor, so that tokens expire within seconds.
struct RunClock: IdentityClock {
    let epoch: Double
    let speed: Double
    let offset: Double

    var now: Date {
        let system = Date().timeIntervalSince1970
        return Date(timeIntervalSince1970: epoch + (system - epoch) * speed + offset)
    }

    var elapsed: Duration { SystemClock().elapsed * speed }

    func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration / speed, clock: .continuous)
    }
}
