import Foundation
import IdentityHTTP
import IdentityKit
import IdentityPlatform
import IdentitySandbox
import StorefrontSandbox
import Testing

@Suite("identity-lab options of the authorization request", .timeLimit(.minutes(10)))
struct LoginRequestTests {
    @Test(
        "prompt, max_age, acr_values, ui_locales, login_hint and further parameters come from the file and the command line"
    )
    func parameters() async throws {
        var configuration = SandboxConfiguration()
        configuration.openID.acrValues = ["phr"]
        try await LabStage.with(configuration) { stage in
            let file = try stage.configuration(changing: "any") {
                $0["prompt"] = .string("consent")
                $0["uiLocales"] = .array([.string("de")])
                $0["authorizationParameters"] = .object(["audience": .string("file"), "resource": .string("r")])
            }
            let fromFile = try await stage.login("any", ["--config", file])
            #expect(fromFile.status == 0, "\(fromFile)")
            var url = try fromFile.event("authorize")["url"]?.string ?? ""
            #expect(LabStage.parameter("prompt", in: url) == "consent")
            #expect(LabStage.parameter("ui_locales", in: url) == "de")
            #expect(LabStage.parameter("audience", in: url) == "file")

            let arguments = [
                "--prompt=login", "--max-age", "300", "--acr-values", "phr mfa", "--ui-locales=fr-CA fr",
                "--login-hint",
                "grace@example.com", "--parameter", "audience=a=b", "--parameter=x-y=",
            ]
            let asked = try await stage.login("any", ["--config", file] + arguments)
            #expect(asked.status == 0, "\(asked)")
            url = try asked.event("authorize")["url"]?.string ?? ""
            for (name, value) in [
                ("prompt", "login"), ("max_age", "300"), ("acr_values", "phr mfa"), ("ui_locales", "fr-CA fr"),
                ("login_hint", "grace@example.com"), ("audience", "a=b"), ("resource", "r"), ("x-y", ""),
            ] {
                #expect(LabStage.parameter(name, in: url) == value, "\(name)")
            }
        }
    }

    @Test(
        "a parameter of the protocol cannot be replaced from the command line",
        arguments: ["client_id", "state", "nonce", "redirect_uri", "code_challenge", "State", "client.id", "prompt"]
    )
    func protocolParameters(name: String) async throws {
        try await LabStage.with { stage in
            let arguments = ["login", "--provider", "any", "--callback", "stdin", "--parameter", "\(name)=x", "--json"]
            let ended = try await LabProcess(arguments, environment: stage.environment).ended()
            #expect(ended.status == 2, "\(ended)")
            #expect(try ended.events().count == 1)
            #expect(try ended.event("error")["code"]?.string == "configuration_invalid")
            #expect(try ended.event("error")["message"]?.string?.contains("\"\(name)\"") == true)
            #expect(stage.sandbox.openID.counters.authorizations == 0)
        }
    }

    @Test(
        "the sandbox supports revocation and pushed requests, and options make it require PAR and use special secrets",
        arguments: [[], ["--require-par", "--require-pkce", "--special-secrets"]]
    )
    func sandbox(options: [String]) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "lab-sandbox-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let sandbox = try LabProcess(
            ["sandbox", "--json", "--store", folder + "/s.sqlite"] + options,
            environment: [:]
        )
        defer { sandbox.signal(SIGINT) }
        let started = try #require(try await sandbox.nextEvent())
        let configuration = try #require(started["configuration"])
        let issuer = try #require(configuration["providers"]?["any"]?["issuer"]?.string)
        var environment = ["IDENTITY_CONFIG": folder + "/lab.json"]
        for member in started["environment"]?.object?.members ?? [] { environment[member.name] = member.value.string }
        try Data(configuration.serialized).write(to: URL(filePath: folder + "/lab.json"))

        let transport = try CurlTransport()
        func get(_ url: String, _ headers: HTTPHeaders = HTTPHeaders()) async throws -> HTTPResponse {
            try await transport.send(
                HTTPRequest(method: .get, url: try HTTPURL(url), headers: headers, allowsLoopbackHTTP: true)
            )
        }
        let metadata = try JSONValue(parsing: try await get(issuer + "/.well-known/openid-configuration").body)
        #expect(metadata["revocation_endpoint"]?.string == issuer + "/revoke")
        #expect(metadata["pushed_authorization_request_endpoint"]?.string == issuer + "/par")
        #expect(metadata["require_pushed_authorization_requests"] == .bool(!options.isEmpty))
        #expect(environment["OPENID_CLIENT_SECRET"]?.contains("+") == !options.isEmpty)
        #expect(environment["SHOPIFY_CLIENT_SECRET"]?.contains("+") == !options.isEmpty)

        func lab(_ arguments: String...) async throws -> LabProcess.Ended {
            try await LabProcess(arguments + ["--json"], environment: environment).ended()
        }
        for provider in ["any", "shopify"] {
            let login = try await lab("login", "--provider", provider, "--callback", "sandbox")
            #expect(login.status == 0, "\(login)")
            let url = try login.event("authorize")["url"]?.string ?? ""
            #expect((LabStage.parameter("request_uri", in: url) != nil) == (provider == "any" && !options.isEmpty))
            let id = try login.sessionID
            let token = try await lab("token", "--session", id, "--reveal").event("token")["access_token"]?.string
            #expect(try await lab("logout", "--session", id).status == 0)
            guard provider == "any" else { continue }
            var headers = HTTPHeaders()
            try headers.set("Authorization", "Bearer \(token ?? "")")
            #expect(try await get(issuer + "/userinfo", headers).status == 401, "The logout did not revoke the tokens.")
        }
        await transport.close()
    }

    @Test("--require-pkce makes the OpenID provider refuse a login without PKCE", arguments: [true, false])
    func requirePKCE(isRequired: Bool) async throws {
        let sandbox = try LabProcess(["sandbox", "--json"] + (isRequired ? ["--require-pkce"] : []), environment: [:])
        defer { sandbox.signal(SIGINT) }
        let provider = try #require(try await sandbox.nextEvent()?["configuration"]?["providers"]?["any"])
        let issuer = try #require(provider["issuer"]?.string)
        let client = try #require(provider["clientID"]?.string)
        let url =
            "\(issuer)/authorize?response_type=code&client_id=\(client)&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback"
            + "&scope=openid&state=s&nonce=n"
        let transport = try CurlTransport()
        let response = try await transport.send(
            HTTPRequest(method: .get, url: try HTTPURL(url), allowsLoopbackHTTP: true)
        )
        let location = try #require(response.headers["location"])
        #expect(location.contains("error=invalid_request") == isRequired, "\(location)")
        await transport.close()
    }
}
