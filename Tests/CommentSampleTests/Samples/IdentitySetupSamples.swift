import IdentityKit
import IdentitySQLite
import IdentitySetup
import IdentityWeb

// swift-format-ignore
extension App {
    func setup() async throws {
        let setup = try await IdentitySetup.open(try IdentityConfiguration(contentsOf: "identity.json")) { section in
            try await SQLiteStore.open(SQLiteStore.Configuration(section))
        }
        let routes = try SignInRoutes(
            sessions: setup.sessions, carts: setup.carts, configuration: .init(publicOrigin: "https://shop.example"))
        _ = routes
    }
}
