import Foundation
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import TestDirectories
import Testing

@Suite("identity-lab: error responses of the provider", .timeLimit(.minutes(10)))
struct ProviderResponseTests {
    private static func json(_ object: JSONObject, status: Int = 200) -> LoopbackResponse {
        let headers = [("Content-Type", "application/json")]
        return .message(status: status, headers: headers, body: JSONValue.object(object).serialized)
    }

    /// A provider whose token endpoint refuses every request and repeats the client's secret.
    private static func answer(_ request: LoopbackRequest, _ origin: String, issuer: String) -> LoopbackResponse {
        guard request.path == "/token" else {
            var metadata: JSONObject = ["issuer": .string(issuer.isEmpty ? origin : issuer)]
            for name in ["authorization_endpoint", "token_endpoint", "jwks_uri"] {
                let path = ["authorization_endpoint": "/authorize", "token_endpoint": "/token"][name] ?? "/jwks"
                metadata[name] = .string(origin + path)
            }
            return json(metadata)
        }
        let start = "Not \u{1B}[31ms3cret-of-the-client\u{7}\n\u{61C}please "
        let description = start + String(repeating: "x", count: 3000)
        return json(["error": .string("unauthorized_client"), "error_description": .string(description)], status: 401)
    }

    /// Signs in at that provider, and returns the end of the program.
    private func login(issuer: String = "", _ options: String...) async throws -> LabProcess.Ended {
        let folder = try TemporaryDirectory("lab-answer")
        defer { folder.remove() }
        let server = try await LoopbackServer.start { request in
            let host = request.header("Host") ?? ""
            return Self.answer(request, "http://\(host)", issuer: issuer)
        }
        let entry: JSONObject = [
            "kind": .string("openid"), "issuer": .string(server.origin), "clientID": .string("shop"),
            "clientSecret": .object(["env": .string("SECRET")]), "clientAuthentication": .string("client_secret_post"),
            "redirectURI": .string("https://app.example/callback"), "allowsLoopbackHTTP": .bool(true),
        ]
        let file = folder.path(of: "lab.json")
        let root: JSONObject = [
            "providers": .object(["any": .object(entry)]),
            "store": .object(["path": .string(folder.path(of: "identity.sqlite"))]),
        ]
        try Data(JSONValue.object(root).serialized).write(to: URL(filePath: file))
        let process = try LabProcess(
            ["login", "--provider", "any", "--callback", "stdin", "--config", file] + options,
            environment: ["SECRET": "s3cret-of-the-client", "IDENTITY_STORE_KEY": String(repeating: "ab", count: 32)]
        )
        if issuer.isEmpty {
            let url = try await authorizationURL(process, isJSON: options.contains("--json"))
            let state = try #require(LabStage.parameter("state", in: url))
            process.send("https://app.example/callback?code=c0de-of-the-login&state=\(state)")
        }
        let ended = await process.ended()
        await server.stop()
        return ended
    }

    private func authorizationURL(_ process: LabProcess, isJSON: Bool) async throws -> String {
        guard !isJSON else { return try #require(try await process.nextEvent()?["url"]?.string) }
        // Lines of text until the one with the address.
        while let line = await process.nextLine() {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("http://") { return text }
        }
        Issue.record("The command printed no authorization URL.")
        return ""
    }

    @Test("--json prints the provider's error, description and status, shortened and without secrets of the request")
    func json() async throws {
        let ended = try await login("--json")
        #expect(ended.status == 2)
        let error = try ended.event("error")
        #expect(error["code"]?.string == "invalid_client")
        #expect(error["provider_error"]?.string == "unauthorized_client")
        #expect(error["provider_status"]?.number?.integer == 401)
        let description = try #require(error["provider_error_description"]?.string)
        #expect(description.hasPrefix("Not \u{FFFD}[31m…\u{FFFD}\u{FFFD}\u{FFFD}please xxx"))
        #expect(description.unicodeScalars.count <= 500)
        #expect(!ended.output.contains("s3cret") && !ended.errors.contains("s3cret"))
    }

    @Test("without --json, the provider's error is printed in one line")
    func text() async throws {
        let ended = try await login()
        #expect(ended.status == 2)
        let lines = ended.errors.split(separator: "\n").filter { $0.contains("The provider said") }
        #expect(lines.count == 1)
        #expect(
            lines.first?.hasPrefix("  The provider said (HTTP 401): unauthorized_client: Not \u{FFFD}[31m…") == true
        )
        #expect(!ended.errors.contains("s3cret") && !ended.errors.contains("\u{1B}"))
    }

    @Test("for metadata of another issuer both issuers are printed, and an error without a response has null members")
    func issuers() async throws {
        let error = try await login(issuer: "https://other.example", "--json").event("error")
        #expect(error["code"]?.string == "discovery_issuer_mismatch")
        #expect(error["provider_error"]?.string == "https://other.example")
        #expect(error["hint"]?.string?.contains("accepted issuers (http://127.0.0.1:") == true)
        let usage = try await LabProcess(["login", "--frobnicate", "--json"], environment: [:]).ended().event("error")
        for name in ["provider_error", "provider_error_description", "provider_status"] {
            #expect(usage[name]?.isNull == true, "\(name)")
        }
    }
}
