import FoundationEssentials
import IdentityKit
import IdentitySQLite
import IdentityStoreKit

// swift-format-ignore
extension App {
    func sqliteStore() async throws {
        let key = try StoreKey(hexadecimal: Secret(ProcessInfo.processInfo.environment["IDENTITY_STORE_KEY"] ?? ""))
        let store = try await SQLiteStore.open(SQLiteStore.Configuration(path: "/var/lib/shop/identity.sqlite", key: key))
        let sessions = SessionManager(providers: providers, store: store, environment: environment)
        _ = sessions
    }
}
