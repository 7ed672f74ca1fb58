internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC
internal import IdentityPostgres
internal import IdentitySQLite
internal import IdentityStoreKit

/// What all processes of a run have to know, handed over in one environment variable.
struct WorkOrder: Codable, Sendable {
    static let variable = "KILL_LOOP_ORDER"
    /// Two thirds of the shortest lease.
    private static let timeout = Duration.seconds(4)

    var issuer: String
    var clientSecret: String
    /// The SQLite file; a PostgreSQL connection goes before it.
    var path: String
    var postgres: String?
    var schema = "kill_loop"
    /// The directory for what PostgreSQL does not take.
    var spool: String?
    /// How many seconds a lease in PostgreSQL lasts.
    var lease = 12
    /// 64 hexadecimal digits.
    var key: String
    /// How many times faster than the system's the run's clocks go.
    var speed = 1.0
    /// The second at which they show what the system's shows.
    var epoch: Double
    /// How far they are ahead besides.
    var offset = 0.0
    /// A fault that the run must find.
    var mutant: Mutant?

    var clock: RunClock { RunClock(epoch: epoch, speed: speed, offset: offset) }

    func store() async throws -> any OrderedStore {
        let key = try StoreKey(hexadecimal: Secret(key))
        // By the system's clock, like all waiting for locks: a stopped process is not stopped 20 times as long.
        guard let postgres else {
            return try await SQLiteStore.open(SQLiteStore.Configuration(path: path, key: key))
        }
        var configuration = PostgresStore.Configuration(connection: Secret(postgres), key: key)
        configuration.schema = schema
        configuration.spoolDirectory = spool
        configuration.locking = .lease(.seconds(lease))
        return try await PostgresStore.open(configuration)
    }

    /// A session manager over a store and a transport, which may be wrapped.
    func manager(_ store: any OrderedStore, _ transport: any HTTPTransport) throws -> SessionManager {
        var configuration = OpenIDProvider.Configuration(
            name: "any",
            issuer: issuer,
            clientID: "sandbox-openid-client"
        )
        configuration.authentication = .secretBasic(Secret(clientSecret))
        configuration.redirectURI = "https://app.example/callback"
        configuration.timeout = Self.timeout
        configuration.allowsLoopbackHTTP = true
        let environment = IdentityEnvironment(transport: transport, clock: clock)
        let provider = JudgingProvider(inner: try OpenIDProvider(configuration, environment: environment))
        var managing = SessionManager.Configuration()
        // Requests and stops take the system's time, however fast the run's clocks go.
        managing.claimWait = (Self.timeout + .seconds(10)) * speed
        return SessionManager(
            providers: try ProviderRegistry([provider]),
            store: store,
            environment: environment,
            configuration: managing
        )
    }
}

/// What both stores are.
typealias OrderedStore = SessionLocking & SessionStore

/// A clock that all processes of a run agree on: faster than the system's, so that an hour's token lives for a minute.
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
