import Foundation
import IdentityHTTP
import IdentityKit
import IdentityPlatform
import IdentitySandbox
import StorefrontSandbox
import TestDirectories
import Testing

@Suite("identity-lab journey and comparison", .timeLimit(.minutes(10)))
struct JourneyTests {
    @Test("without arguments, identity-lab runs all steps from login to logout against the embedded sandbox")
    func journey() async throws {
        // Without --config this run uses the sandbox, so it does not read the file that IDENTITY_CONFIG names.
        let ended = try await LabProcess([], environment: ["IDENTITY_CONFIG": "/nowhere/identity.json"]).ended()
        #expect(ended.status == 0, "\(ended.output) \(ended.errors)")
        #expect(ended.output.contains("no plain-text token in the store's files"))
        #expect(ended.output.contains("Comparison"))
        #expect(!ended.output.contains("✗"))
        #expect(!ended.output.contains("\u{1B}"))
    }

    @Test("compare prints one event for each approach, and writes a page without secrets and external resources")
    func comparison() async throws {
        let folder = try TemporaryDirectory("compare")
        defer { folder.remove() }
        let file = folder.url.appendingPathComponent("compare.html")
        let ended = try await LabProcess(["compare", "--json", "--html", file.path], environment: [:]).ended()
        #expect(ended.status == 0, "\(ended)")
        let approaches = try ended.events().filter { $0["event"]?.string == "approach" }
        #expect(approaches.count == 21)
        #expect(approaches.allSatisfy { $0["problem"] == .null })
        let page = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(page.contains("grant_type") && page.contains("authorization_code") && page.contains("•••"))
        // The prefixes of the sandbox's tokens, secrets and keys.
        for secret in ["eyJ", "shpss", "shpat_", "sandbox-api-key", "Basic c", "Bearer e"] {
            #expect(!page.contains(secret), "\(secret)")
        }
        for loader in ["<script", "<img", "<link rel=\"stylesheet", "src=", "url(", "@import"] {
            #expect(!page.contains(loader), "\(loader)")
        }
    }

    @Test("with --config, the carts get the first variant for sale, and the shop gets no buyer IP")
    func configuredShop() async throws {
        var shop = SandboxStorefrontConfiguration()
        shop.variants = [("7", 0), ("8", 0), ("9", 5)].map { id, stock in
            .init(id: "gid://shopify/ProductVariant/\(id)", product: id, title: "One", price: 900, stock: stock)
        }
        try await LabStage.with(storefront: shop) { stage in
            let file = try #require(stage.environment["IDENTITY_CONFIG"])
            for arguments in [
                ["--config", file, "--callback", "sandbox"],
                ["compare", "--callback", "sandbox", "--provider", "bolt"],
            ] {
                let ended = try await LabProcess(arguments + ["--json"], environment: stage.environment).ended()
                #expect(ended.status == 0, "\(ended)")
            }
            let carts = stage.sandbox.storefront.cartStates
            #expect(carts.count == 24 && carts.allSatisfy { $0.quantities == ["gid://shopify/ProductVariant/9": 1] })
            let requests = stage.sandbox.storefront.requests
            #expect(requests.allSatisfy { $0.header("Shopify-Storefront-Buyer-IP") == nil })
            #expect(requests.count { $0.bodyText.contains("query ProductsPage(") } == 2)
        }
    }

    @Test("the events of the approaches name the first failed step's problem")
    func failedStep() async throws {
        var shop = SandboxStorefrontConfiguration()
        shop.variants = [.init(id: "gid://shopify/ProductVariant/7", product: "7", title: "One", price: 900, stock: 0)]
        try await LabStage.with(storefront: shop) { stage in
            let file = try #require(stage.environment["IDENTITY_CONFIG"])
            let arguments = ["--config", file, "--callback", "sandbox", "--json"]
            let ended = try await LabProcess(arguments, environment: stage.environment).ended()
            let events = try ended.events()
            let failed = try #require(events.first { $0["held"] == .bool(false) }?["detail"]?.string)
            let problems = events.filter { $0["event"]?.string == "approach" }.map { $0["problem"]?.string ?? "" }
            #expect(!problems.isEmpty && problems.allSatisfy { !$0.isEmpty && failed.hasPrefix($0) }, "\(ended)")
        }
    }

    @Test("compare reports the problem of a checkout that opens as guest because the shop rejects the token")
    func guestCheckout() async throws {
        var shop = SandboxStorefrontConfiguration()
        shop.takesCustomerAccountTokens = false
        try await LabStage.with(storefront: shop) { stage in
            let ended = try await stage.run("compare", "--callback", "sandbox", "--provider", "shopify", "--json")
            #expect(ended.status == 1, "\(ended)")
            let approaches = try ended.events().filter { $0["event"]?.string == "approach" }
            #expect(approaches.count == 3 && approaches.allSatisfy { $0["problem"]?.string != nil })
        }
    }

    @Test("identity-lab compare refuses an --html file in a missing folder before the first sign-in")
    func missingFolder() async throws {
        let folder = try TemporaryDirectory("compare")
        defer { folder.remove() }
        let file = folder.path(of: "missing/compare.html")
        let ended = try await LabProcess(["compare", "--json", "--html", file], environment: [:]).ended()
        #expect(try ended.status == 2 && ended.event("error")["code"]?.string == "file_unwritable", "\(ended)")
        #expect(try !ended.events().contains { $0["event"]?.string == "approach" })
    }

    @Test("the sandbox prints a working configuration and runs until it is interrupted")
    func sandbox() async throws {
        let sandbox = try LabProcess(["sandbox", "--json"], environment: [:])
        let event = try #require(try await sandbox.nextEvent())
        #expect(event["storefront_public_token"]?.string?.isEmpty == false)
        let clients = try #require(event["shopify_clients"]?.object)
        #expect(clients.members.map(\.name) == ["confidential", "publicMobile", "publicWeb", "app"])
        let configured = event["configuration"]?["providers"]
        #expect(clients["confidential"] == configured?["shopify"]?["clientID"])
        #expect(clients["publicMobile"] == configured?["shopify-public"]?["clientID"])
        #expect(clients["publicWeb"] == configured?["shopify-web"]?["clientID"])
        #expect(Set(clients.members.map(\.value.string)).count == 4)
        let folder = try TemporaryDirectory("lab")
        defer { folder.remove() }
        let file = folder.path(of: "sandbox.json")
        try Data(try #require(event["configuration"]).serialized).write(to: URL(filePath: file))
        var environment: [String: String] = [:]
        for (name, value) in try #require(event["environment"]?.object).members { environment[name] = value.string }
        let store = folder.path(of: "identity.sqlite")
        let login = try await LabProcess(
            ["login", "--provider", "bolt", "--callback", "sandbox", "--config", file, "--store", store, "--json"],
            environment: environment
        )
        .ended()
        #expect(login.status == 0, "\(login)")
        #expect(try login.events().map { $0["event"]?.string } == ["authorize", "session"])
        sandbox.signal(SIGINT)
        #expect(await sandbox.ended().status == 0)
    }

    @Test("--openid configures the provider, and the sandbox prints method, path and status of each request")
    func openIDFile() async throws {
        let folder = try TemporaryDirectory("lab")
        defer { folder.remove() }
        let file = folder.path(of: "provider.json")
        try Data(#"{ "clients": [{ "clientID": "mine", "clientSecret": "s" }], "acrValues": ["gold"] }"#.utf8)
            .write(to: URL(filePath: file))
        let sandbox = try LabProcess(["sandbox", "--openid", file, "--json"], environment: [:])
        let provider = try #require(try await sandbox.nextEvent()?["configuration"]?["providers"]?["any"])
        #expect(provider["clientID"]?.string == "mine")
        let issuer = try #require(provider["issuer"]?.string)
        let transport = try CurlTransport()
        func get(_ path: String) async throws -> HTTPResponse {
            try await transport.send(
                HTTPRequest(method: .get, url: try HTTPURL(issuer + path), allowsLoopbackHTTP: true)
            )
        }
        let metadata = try JSONValue(parsing: try await get("/.well-known/openid-configuration").body)
        #expect(metadata["acr_values_supported"]?.strings == ["gold"])
        #expect(try await get("/userinfo?access_token=secret-value").status == 400)
        let id = String(repeating: "a1", count: 16)
        #expect(try await get("/login/" + id).status == 404)
        var lines: [String] = []
        for _ in 0..<3 {
            let event = try #require(try await sandbox.nextEvent())
            lines.append(["event", "method", "path"].compactMap { event[$0]?.string }.joined(separator: " "))
            #expect(event["status"]?.number?.integer == [200, 400, 404][lines.count - 1])
        }
        #expect(
            lines == [
                "request GET /.well-known/openid-configuration", "request GET /userinfo", "request GET /login/…",
            ]
        )
        await transport.close()
        sandbox.signal(SIGINT)
        let ended = await sandbox.ended()
        #expect(ended.status == 0)
        #expect(!ended.output.contains("secret-value") && !ended.output.contains(id))

        try Data(#"{ "client": [] }"#.utf8).write(to: URL(filePath: file))
        for path in [file, folder.path(of: "absent.json")] {
            let refused = try await LabProcess(["sandbox", "--openid", path, "--json"], environment: [:]).ended()
            #expect(refused.status == 2)
            #expect(try refused.event("error")["code"]?.string == "configuration_invalid")
        }
    }
    @Test("a login with the printed configuration succeeds if --openid requires DPoP and a method of authentication")
    func openIDLogin() async throws {
        let folder = try TemporaryDirectory("lab")
        defer { folder.remove() }
        // The example of Documentation/Using/Sandbox.md with two additional members.
        let file = try folder.write(
            """
            { "clients": [
                { "clientID": "shop", "clientSecret": "sandbox-secret", "redirectURIs": ["https://app.example/callback"],
                  "authentication": "client_secret_post" },
                { "clientID": "phone", "redirectURIs": ["com.example.app:/callback"] } ],
              "dpop": "required", "responseModes": ["query"],
              "rotation": { "graceSeconds": 10 }, "lifetimes": { "accessToken": 60 } }
            """,
            to: "provider.json"
        )
        try await SandboxProcess.with(["--openid", file]) { sandbox in
            _ = try await sandbox.login("any")
            #expect(try sandbox.provider("any")["dpop"]?.bool == true)
            #expect(try sandbox.provider("any")["clientAuthentication"]?.string == "client_secret_post")
        }
        try await SandboxProcess.with(["--openid", file, "--app", "http://127.0.0.1:8080"]) { sandbox in
            _ = try await sandbox.login("any")
            #expect(sandbox.started["configuration"]?["providers"]?["any-form-post"] == nil)
        }
    }
}
