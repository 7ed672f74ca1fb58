import IdentityDevelopmentServer
import IdentityKit
import IdentitySQLite
import IdentitySetup
import IdentityWeb

// swift-format-ignore
extension App {
    func developmentServerPage() async throws {
        let setup = try await IdentitySetup.open(IdentityConfiguration(contentsOf: "identity.json")) { section in
            try await SQLiteStore.open(SQLiteStore.Configuration(section))
        }
        _ = setup
    }

    func developmentServerPage(setup: IdentitySetup) async throws {
        let server = try await DevelopmentServer.start(port: 8080, publicOrigin: "https://shop-test.example") { origin in
            let routes = try SignInRoutes(sessions: setup.sessions, configuration: .init(publicOrigin: origin))
            return { await routes.handle($0) { _ in .html("<h1>Shop</h1>") } }
        }
        _ = server
    }

    func transportOfYourOwnPage(configuration: IdentityConfiguration) async throws {
        let environment = IdentityEnvironment(transport: MyTransport())
        let setup = try await IdentitySetup.open(configuration, environment: environment) { section in
            try await SQLiteStore.open(SQLiteStore.Configuration(section))
        }
        _ = setup
    }
}
