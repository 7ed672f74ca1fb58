import Foundation
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import Testing

@Suite("identity-lab sandbox --app", .timeLimit(.minutes(10)))
struct AppSandboxTests {
    private static let app = "http://127.0.0.1:8080"

    @Test("--app prints and registers one redirect URI per provider, and the sandbox refuses all others")
    func redirectURIs() async throws {
        try await SandboxProcess.with(["--app", Self.app]) { sandbox in
            let names = try #require(sandbox.started["configuration"]?["providers"]?.object).members.map(\.name)
            #expect(Set(names) == ["shopify", "bolt", "bolt-sfcc", "any", "any-form-post"] && names.count == 5)
            for name in names {
                let redirectURI = "\(Self.app)/auth/callback/\(name)"
                #expect(try sandbox.provider(name)["redirectURI"]?.string == redirectURI)
                let (process, url) = try await sandbox.begin(name)
                #expect(LabStage.parameter("redirect_uri", in: url) == redirectURI)
                let secure = "https" + redirectURI.dropFirst(4)
                for other in [redirectURI + "/x", Self.app + "/auth/callback", secure] {
                    let changed = url.replacing(FormEncoding.escape(redirectURI), with: FormEncoding.escape(other))
                    #expect(changed != url)
                    let refused = try await sandbox.get(changed)
                    #expect(refused.status >= 400 && refused.headers["Location"] == nil, "\(changed) \(refused.status)")
                }
                let ended = try await sandbox.finish((process, url), sandbox.robot)
                #expect(ended.status == 0, "\(ended)")
                #expect(try ended.event("session")["provider"]?.string == name)
            }
        }
    }

    @Test("without --app the redirect URIs of the app are refused")
    func notRegistered() async throws {
        try await SandboxProcess.with { sandbox in
            for name in ["shopify", "bolt", "any"] {
                let (process, url) = try await sandbox.begin(name)
                let own = try #require(LabStage.parameter("redirect_uri", in: url))
                let wanted = FormEncoding.escape("\(Self.app)/auth/callback/\(name)")
                let changed = url.replacing(FormEncoding.escape(own), with: wanted)
                #expect(changed != url)
                #expect(try await sandbox.get(changed).status >= 400)
                process.closeInput()
                #expect(await process.ended().status != 0)
            }
        }
    }

    @Test("with --app the page of the checkout has a link back to the app")
    func checkout() async throws {
        try await SandboxProcess.with(["--app", Self.app]) { sandbox in
            let session = try await sandbox.login("shopify")
            let line = "gid://shopify/ProductVariant/1"
            let cart = try await sandbox.lab("cart", "--session", session, "--line", line, "--buyer-ip", "203.0.113.7")
            let url = try #require(try cart.event("cart")["checkout_url"]?.string, "\(cart)")
            let page = String(decoding: try await sandbox.get(url).body, as: UTF8.self)
            #expect(page.contains(Self.app), "\(page)")
        }
    }

    @Test(
        "--app refuses a value that is not an origin",
        arguments: ["http://127.0.0.1:8080/shop", "127.0.0.1", "http://a.example/?q"]
    )
    func origin(app: String) async throws {
        let ended = try await LabProcess(["sandbox", "--app", app, "--json"], environment: [:]).ended()
        #expect(ended.status == 2)
        #expect(try ended.event("error")["message"]?.string?.contains("--app must be an origin") == true)
    }
}
