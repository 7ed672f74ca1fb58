#if PostgreSQL
import FoundationEssentials
import IdentityKit
import IdentityPostgres
import IdentityStoreKit

extension App {
    func postgresStore() async throws {
        let key = try StoreKey(hexadecimal: Secret(ProcessInfo.processInfo.environment["IDENTITY_STORE_KEY"] ?? ""))
        let connection = Secret(ProcessInfo.processInfo.environment["DATABASE_URL"] ?? "")
        let store = try await PostgresStore.open(PostgresStore.Configuration(connection: connection, key: key))
        let sessions = SessionManager(providers: providers, store: store, environment: environment)
        _ = sessions
    }
}
#endif
