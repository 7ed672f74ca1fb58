import IdentityHTTP
import IdentityKit
import IdentityPostgres
import IdentitySQLite
import IdentitySetup
import IdentityStoreKit
import IdentityWeb

// swift-format-ignore
extension App {
    func configurationPage() async throws {
        let setup = try await IdentitySetup.open(try IdentityConfiguration(contentsOf: "identity.json")) { section in
            try await SQLiteStore.open(SQLiteStore.Configuration(section))       // or PostgresStore
        }
        let routes = try SignInRoutes(
            sessions: setup.sessions, carts: setup.carts, configuration: .init(publicOrigin: "https://shop.example"))
        _ = routes
    }

    func keysPage() async throws {
        let store = try await SQLiteStore.open(path: "identity.sqlite", keys: ReferencedKeys(.file("new.key"), readOnly: [.file("old.key")]))
        _ = store
    }

    func observabilityPage(bridge: EventBridge) {
        let counters = IdentityCounters()
        let sessions = SessionManager(
            providers: providers, store: store, environment: environment, observers: [counters, bridge])
        _ = sessions
    }

    func sqlitePage() async throws {
        var configuration = SQLiteStore.Configuration(path: "/var/lib/shop/identity.sqlite", key: storeKey)
        configuration.createsStore = false                      // the store exists: see below
        configuration.maximumSessionsPerTenant = 200_000
        let store = try await SQLiteStore.open(configuration)
        _ = store
    }

    func sqlitePageCreatingTheStore(at path: String) async throws {
        let store = try await SQLiteStore.open(SQLiteStore.Configuration(path: path, key: storeKey))     // createsStore is true
        await store.close()
    }

    func sqlitePageBackup(of store: SQLiteStore) async throws {
        try await store.backup(to: "/backup/identity-2026-11-21.sqlite")
    }

    func refreshPage(id: SessionID, logger: Logger) async throws {
        let got = try await sessions.tokens(for: id)          // valid for a minute, refreshed first if necessary
        switch got.outcome {
        case .stored: break                                   // the stored token was good enough
        case .refreshedEarly, .refreshedLate: break               // refreshed before, or after, the old one had expired
        case .waited: break                                   // another task or process refreshed it meanwhile
        case .stillValid: logger.warning("\(got.reason?.code.rawValue ?? "")")   // the refresh failed; the old token is still valid
        default: break
        }
    }

    func refreshPageUpkeep() async throws {
        try await sessions.repair()                            // when a process starts
        let upkeep = Task { await sessions.maintain() }        // beside the server: repairs every 5 seconds, sweeps every hour
        // On SIGTERM: take no new requests, then
        upkeep.cancel()
        await sessions.drain()                                 // usually ends within twice the provider's timeout and some seconds
    }

    func refreshPageLifetime() {
        var configuration = SessionManager.Configuration()
        configuration.maximumSessionLifetime = .seconds(30 * 86_400)
        _ = configuration
    }

    func refreshPageWarning(id: SessionID, logger: Logger) async throws {
        let got = try await sessions.tokens(for: id)
        if let warning = got.warning { logger.critical("\(warning.message) \(warning.hint ?? "")") }
    }
}

#if PostgreSQL
// swift-format-ignore
extension App {
    func postgreSQLPage(databaseURL: String) async throws {
        var configuration = PostgresStore.Configuration(connection: Secret(databaseURL), key: storeKey)
        configuration.createsStore = false                          // the store exists: the first deployment created it
        configuration.spoolDirectory = "/var/lib/shop/spool"
        let store = try await PostgresStore.open(configuration)     // once, for the life of the process
        _ = store
    }
}
#endif
