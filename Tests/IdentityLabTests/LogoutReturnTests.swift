import IdentityHTTP
import IdentityKit
import IdentitySandbox
import StorefrontSandbox
import Testing

/// The modules `rp-init-logout`, `-other-state` and `-no-state` of the OpenID conformance suite, run with `identity-lab`.
@Suite("identity-lab logout with a return address", .timeLimit(.minutes(10)))
struct LogoutReturnTests {
    private static let address = "https://app.example/signed-out"

    private static func run(
        returningTo address: String = address,
        _ body: (LabStage, _ id: String, _ file: String) async throws -> Void
    ) async throws {
        var configuration = SandboxConfiguration()
        configuration.openID.postLogoutRedirectURIs = [address]
        try await LabStage.with(configuration) { stage in
            let id = try await stage.login("any").sessionID
            let file = try stage.configuration(changing: "any") { $0["postLogoutRedirectURI"] = .string(address) }
            try await body(stage, id, file)
        }
    }

    private static func logout(
        _ stage: LabStage,
        _ id: String,
        _ file: String,
        changing change: (String) -> String = { $0 }
    ) async throws -> LabProcess.Ended {
        let process = try stage.start("logout", "--session", id, "--config", file, "--callback", "stdin", "--json")
        let event = try #require(try await process.nextEvent())
        let page = try #require(event["browser_url"]?.string, "\(event)")
        #expect(LabStage.parameter("post_logout_redirect_uri", in: page) == address)
        #expect(LabStage.parameter("state", in: page)?.isEmpty == false)
        process.send(change(try await stage.robot.login(at: page, redirectURI: address)))
        return await process.ended()
    }

    @Test("a return with the logout's state is confirmed, from standard input and from the sandbox's robot")
    func confirmed() async throws {
        try await Self.run { stage, id, file in
            let ended = try await Self.logout(stage, id, file)
            #expect(ended.status == 0, "\(ended)")
            #expect(try ended.event("logout_return")["confirmed"]?.bool == true)
            let next = try await stage.login("any").sessionID
            let robot = try await stage.run(
                "logout",
                "--session",
                next,
                "--config",
                file,
                "--callback",
                "sandbox",
                "--json"
            )
            #expect(robot.status == 0, "\(robot)")
            #expect(try robot.event("logout_return")["confirmed"]?.bool == true)
        }
    }

    @Test("blanks around the pasted URL of the return are ignored")
    func blanks() async throws {
        try await Self.run { stage, id, file in
            let ended = try await Self.logout(stage, id, file) { "  \($0) \r" }
            #expect(ended.status == 0, "\(ended)")
            #expect(try ended.event("logout_return")["confirmed"]?.bool == true)
        }
    }

    @Test("without --callback and without a terminal, logout ends the session and waits for no return")
    func noTerminal() async throws {
        try await Self.run { stage, id, file in
            for isClosed in [true, false] {
                let session = isClosed ? id : try await stage.login("any").event("session")["id"]?.string
                let process = try stage.start("logout", "--session", try #require(session), "--config", file, "--json")
                if isClosed { process.closeInput() }
                let ended = await process.ended()
                #expect(ended.status == 0, "\(ended)")
                #expect(try ended.events().count == 1)
                let page = try #require(try ended.event("logout")["browser_url"]?.string)
                #expect(LabStage.parameter("post_logout_redirect_uri", in: page) == Self.address)
            }
        }
    }

    @Test("a return with another state is refused, and the session has ended")
    func otherState() async throws {
        try await Self.run { stage, id, file in
            let ended = try await Self.logout(stage, id, file) { $0 + "x" }
            #expect(ended.status == 1)
            #expect(try ended.event("error")["code"]?.string == "state_unknown")
            let again = try await stage.run("logout", "--session", id, "--json")
            #expect(try again.event("error")["code"]?.string == "session_unknown")
        }
    }

    @Test("a return without a state is refused")
    func noState() async throws {
        try await Self.run { stage, id, file in
            let ended = try await Self.logout(stage, id, file) { _ in Self.address }
            #expect(ended.status == 1)
            #expect(try ended.event("error")["code"]?.string == "state_invalid")
            #expect(try ended.event("error")["kind"]?.string == "rejected")
        }
    }

    @Test("for a loopback return address, logout listens on a free port by default")
    func loopback() async throws {
        try await Self.run(returningTo: "http://127.0.0.1/signed-out") { stage, id, file in
            let process = try stage.start("logout", "--session", id, "--config", file, "--json")
            let page = try #require(try await process.nextEvent()?["browser_url"]?.string)
            let address = try #require(LabStage.parameter("post_logout_redirect_uri", in: page))
            #expect(address.hasPrefix("http://127.0.0.1:") && address.hasSuffix("/signed-out"))
            let back = try HTTPURL(try await stage.robot.login(at: page, redirectURI: address))
            let answer = try await stage.transport.send(HTTPRequest(method: .get, url: back, allowsLoopbackHTTP: true))
            #expect(answer.status == 200)
            let ended = await process.ended()
            #expect(ended.status == 0, "\(ended)")
            #expect(try ended.event("logout_return")["confirmed"]?.bool == true)
        }
    }

    @Test("logout --callback without a configured return address is refused and ends no session")
    func noAddress() async throws {
        try await LabStage.with { stage in
            let id = try await stage.login("any").sessionID
            let refused = try await stage.run("logout", "--session", id, "--callback", "stdin", "--json")
            #expect(refused.status == 2)
            #expect(
                try refused.event("error")["message"]?.string?.contains("providers.any.postLogoutRedirectURI") == true
            )
            let plain = try await stage.run("logout", "--session", id, "--json")
            #expect(plain.status == 0)
            #expect(try plain.event("logout")["browser_url"]?.string?.contains("post_logout_redirect_uri") == false)
        }
    }
}
