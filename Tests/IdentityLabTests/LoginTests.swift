import IdentityHTTP
import IdentityKit
import IdentityPlatform
import IdentitySandbox
import StorefrontSandbox
import Testing

@Suite("identity-lab login", .timeLimit(.minutes(10)))
struct LoginTests {
    @Test("with every provider and entry point, login prints the authorization URL and then the session")
    func everyWay() async throws {
        try await LabStage.with { stage in
            for provider in ["shopify", "shopify-public", "shopify-web", "bolt", "bolt-pkce", "bolt-sfcc", "any"] {
                for entryPoint in ["async", "completion", "delegate"] {
                    let ended = try await stage.login(provider, ["--entry-point=\(entryPoint)"])
                    #expect(ended.status == 0, "\(provider) \(entryPoint): \(ended)")
                    let events = try ended.events()
                    #expect(events.map { $0["event"]?.string } == ["authorize", "session"])
                    let session = try #require(events.last)
                    #expect(session["id"]?.string.flatMap(SessionID.init(rawValue:)) != nil)
                    #expect(session["provider"]?.string == provider)
                    #expect(session["issuer"]?.string?.isEmpty == false)
                    #expect(session["subject"]?.string?.isEmpty == false)
                    #expect(session["scopes"]?.strings != nil)
                    let expiry = try #require(session["expires_at"]?.string)
                    #expect(expiry.hasSuffix("Z") && expiry.contains("T"))
                }
            }
        }
    }

    @Test("for a loopback redirect URI, login listens on a free port by default")
    func loopback() async throws {
        try await LabStage.with { stage in
            let process = try stage.start("login", "--provider", "any", "--json")
            let url = try #require(try await process.nextEvent()?["url"]?.string)
            let redirectURI = try #require(LabStage.parameter("redirect_uri", in: url))
            #expect(redirectURI.hasPrefix("http://127.0.0.1:") && redirectURI.hasSuffix("/callback"))
            let callback = try HTTPURL(try await stage.callback(for: url))
            let page = try await stage.transport.send(
                HTTPRequest(method: .get, url: callback, allowsLoopbackHTTP: true)
            )
            #expect(page.status == 200)
            let ended = await process.ended()
            #expect(ended.status == 0)
            #expect(try ended.event("session")["provider"]?.string == "any")
        }
    }

    @Test(
        "login accepts a posted callback at its loopback listener and from the sandbox's robot",
        arguments: ["loopback", "sandbox"]
    )
    func formPost(callback: String) async throws {
        try await LabStage.with { stage in
            let file = try stage.configuration(changing: "any") { $0["responseMode"] = .string("form_post") }
            let arguments = ["login", "--provider", "any", "--config", file, "--callback", callback, "--json"]
            let process = try LabProcess(arguments, environment: stage.environment)
            let url = try #require(try await process.nextEvent()?["url"]?.string)
            #expect(LabStage.parameter("response_mode", in: url) == "form_post")
            if callback == "loopback" { _ = try await stage.callback(for: url) }
            let ended = await process.ended()
            #expect(ended.status == 0, "\(ended)")
            #expect(try ended.event("session")["provider"]?.string == "any")
        }
    }

    @Test("the form that a provider posts can be given as a line, which is checked like a callback in a URL")
    func formOnStandardInput() async throws {
        try await LabStage.with { stage in
            let file = try stage.configuration(changing: "any") { $0["responseMode"] = .string("form_post") }
            for isForged in [false, true] {
                let process = try stage.start("login", "--provider=any", "--config", file, "--callback=stdin", "--json")
                let url = try #require(try await process.nextEvent()?["url"]?.string)
                let callback = try await stage.robot.callback(
                    at: url,
                    redirectURI: LabStage.parameter("redirect_uri", in: url)
                )
                let form = String(decoding: try #require(callback.body), as: UTF8.self)
                process.send(isForged ? form.replacing("state=", with: "state=x") : form)
                let ended = await process.ended()
                #expect(ended.status == (isForged ? 1 : 0), "\(ended)")
                if isForged { #expect(try ended.event("error")["code"]?.string == "state_unknown") }
            }
        }
    }

    @Test("a callback with another state is refused, as is a repeated callback")
    func forgedAndReplayed() async throws {
        try await LabStage.with { stage in
            let forged = try await stage.login("shopify") { $0 + "x" }
            #expect(forged.status == 1)
            #expect(try forged.event("error")["kind"]?.string == "rejected")

            var used = ""
            let first = try await stage.login("shopify") { callback in
                used = callback
                return callback
            }
            #expect(first.status == 0)
            let replayed = try await stage.login("shopify") { _ in used }
            #expect(replayed.status == 1)
            #expect(try replayed.event("error")["code"]?.string == "state_unknown")
            #expect(try replayed.event("error")["attack_suspected"]?.bool == true)
        }
    }

    @Test("a login that the buyer denies exits as rejected")
    func denied() async throws {
        try await LabStage.with { stage in
            let process = try stage.start("login", "--provider=any", "--callback=stdin", "--json")
            let url = try #require(try await process.nextEvent()?["url"]?.string)
            let denier = SandboxBuyer(behaviour: .deny, transport: stage.transport)
            process.send(try await denier.login(at: url, redirectURI: LabStage.parameter("redirect_uri", in: url)))
            let ended = await process.ended()
            #expect(ended.status == 1)
            #expect(try ended.event("error")["code"]?.string == "access_denied")
            #expect(try ended.event("error")["attack_suspected"] == nil)
        }
    }

    @Test("a signal and the end of the input cancel the login", arguments: [SIGINT, SIGTERM, 0])
    func cancelled(_ number: Int32) async throws {
        try await LabStage.with { stage in
            for callback in number == 0 ? ["stdin"] : ["stdin", "loopback"] {
                let process = try stage.start("login", "--provider", "any", "--callback", callback, "--json")
                _ = try await process.nextEvent()
                if number == 0 { process.closeInput() } else { process.signal(number) }
                let ended = await process.ended()
                #expect(ended.status == 130, "\(ended)")
                #expect(try ended.event("error")["kind"]?.string == "cancelled")
            }
        }
    }

    @Test("a provider that is down or returns HTML or a 500 exits with 75")
    func outages() async throws {
        try await LabStage.with { stage in
            let answers: [SandboxFault] = [.htmlPage(status: 502), .htmlPage(status: 200), .status(500), .reset]
            for answer in answers {
                stage.sandbox.openID.planFault(answer, on: .token)
                let ended = try await stage.login("any")
                #expect(ended.status == 75, "\(answer): \(ended)")
                #expect(try ended.event("error")["kind"]?.string == "retry_later")
            }
            // No server listens on port 1. A port that a test has just freed may get the server of another test.
            let down = try stage.configuration(changing: "any") { $0["issuer"] = .string("http://127.0.0.1:1") }
            let login = ["login", "--provider", "any", "--config", down, "--callback", "stdin", "--json"]
            let ended = try await LabProcess(login, environment: stage.environment).ended()
            #expect(ended.status == 75)
            #expect(try ended.event("error")["code"]?.string == "provider_unavailable")
        }
    }
}
