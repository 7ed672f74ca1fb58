import IdentityKit
import IdentitySandbox
import StorefrontSandbox

// swift-format-ignore
extension App {
    func sandboxFile(_ configuration: inout SandboxConfiguration) throws {
        configuration.openID = try SandboxOpenIDConfiguration(json: Array(#"{ "dpop": "required" }"#.utf8))
    }

    func sandbox() {
        var configuration = SandboxConfiguration()
        configuration.openID.clientID = "my-app"
        configuration.openID.claimsIn = .idToken
        _ = configuration
    }

    func plannedFault() async throws {
        let sandbox = try await Sandbox.start()
        sandbox.openID.planFault(.tooManyRequests(retryAfter: 5), on: .token)
        // … the app refreshes a token, and gets 429 once …
        await sandbox.stop()
    }

    func sandboxBuyer() async throws {
        let flow = LoginFlow(provider: "shopify", sessions: sessions, presenter: SandboxBuyer())
        let session = try await flow.login()
        _ = session
    }

    func shopSandbox() async throws {
        let sandbox = try await ShopSandbox.start()
        let file = sandbox.labConfiguration()
        let configuration = try IdentityConfiguration(json: file.json.serialized, environmentVariables: file.environment)
        // … the app signs in and fills a cart …
        _ = configuration
        await sandbox.stop()
    }
}
