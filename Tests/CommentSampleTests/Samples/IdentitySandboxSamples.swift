import IdentitySandbox

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
}
