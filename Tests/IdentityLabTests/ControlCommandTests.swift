import Foundation
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentitySQLite
import IdentitySandbox
import IdentitySetup
import Synchronization
import Testing

@Suite("The commands of identity-lab sandbox", .timeLimit(.minutes(10)))
struct ControlCommandTests {
    private static let ada = #"{"email":"ada@example.com"}"#

    /// The ids of the keys that the providers publish.
    private func keyIDs(_ sandbox: SandboxProcess) async throws -> [String: [String]] {
        let discovery = try #require(try sandbox.provider("shopify")["endpoints"]?["discovery"]?.string)
        let shopify = try JSONValue(parsing: try await sandbox.get(discovery).body)
        let addresses = [
            "shopify": shopify["jwks_uri"]?.string, "bolt": try sandbox.provider("bolt")["endpoints"]?["jwks"]?.string,
            "openid": try sandbox.provider("any")["issuer"]?.string.map { $0 + "/jwks.json" },
        ]
        var ids: [String: [String]] = [:]
        for (name, address) in addresses {
            let set = try JSONValue(parsing: try await sandbox.get(try #require(address)).body)
            ids[name] = set["keys"]?.array?.compactMap { $0["kid"]?.string }
        }
        return ids
    }

    @Test("rotate-keys makes providers sign with new keys, and with keepOld false no longer publish the old ones")
    func rotation() async throws {
        try await SandboxProcess.with { sandbox in
            let first = try await keyIDs(sandbox)
            try await sandbox.command("rotate-keys", #"{"provider":"bolt"}"#)
            let second = try await keyIDs(sandbox)
            #expect(second["shopify"] == first["shopify"] && second["openid"] == first["openid"])
            #expect(second["bolt"]?.count == 2 && second["bolt"]?.contains(first["bolt"]?.first ?? "") == true)
            try await sandbox.command("rotate-keys", #"{"keepOld":false}"#)
            for (name, ids) in try await keyIDs(sandbox) {
                #expect(!ids.isEmpty && Set(ids).isDisjoint(with: second[name] ?? []), "\(name)")
            }
        }
    }

    @Test("after a rotation of the keys and with expired tokens, login, token and profile still work")
    func survival() async throws {
        try await SandboxProcess.with { sandbox in
            for provider in ["any", "shopify", "bolt"] {
                let login = try await sandbox.begin(provider)
                try await sandbox.command("rotate-keys", #"{"keepOld":false}"#)
                let id = try await sandbox.finish(login, sandbox.robot).sessionID
                let old = try await sandbox.accessToken(of: id)
                try await sandbox.command("rotate-keys", #"{"keepOld":false}"#)
                try await sandbox.command("expire-access-tokens")
                if provider != "shopify" { #expect(try await sandbox.apiStatus(provider, old) != 200) }
                let profile = try await sandbox.lab("profile", "--session", id)
                #expect(try profile.event("profile")["email"]?.string == "ada@example.com", "\(profile)")
                #expect(try await sandbox.accessToken(of: id) != old, "\(provider)")
                let refreshed = try await sandbox.lab("token", "--session", id, "--refresh")
                #expect(try refreshed.event("token")["outcome"]?.string == "refreshed_early", "\(refreshed)")
            }
        }
    }

    @Test("a process with the old keys in memory accepts an ID token that is signed with the new key")
    func survivalInMemory() async throws {
        try await SandboxProcess.with { sandbox in
            let configuration = try IdentityConfiguration(
                json: try #require(sandbox.started["configuration"]).serialized,
                environmentVariables: sandbox.environment
            )
            let setup = try await IdentitySetup.open(configuration) { section in
                try await SQLiteStore.open(try SQLiteStore.Configuration(section))
            }
            let flow = LoginFlow(provider: "any", sessions: setup.sessions, presenter: sandbox.robot)
            let session = try await flow.login()
            // The header of an ID token names the key.
            func header() async throws -> Substring? {
                try await setup.sessions.tokens(for: session.id).tokens.idToken?.reveal().split(separator: ".").first
            }
            let old = try await header()
            try await sandbox.command("rotate-keys", #"{"keepOld":false,"provider":"openid"}"#)
            _ = try await setup.sessions.refreshTokens(for: session.id)
            let new = try await header()
            #expect(old != nil && new != nil && new != old)
            await (setup.store as? SQLiteStore)?.close()
        }
    }

    @Test("expire-access-tokens and advance-clock let the access tokens of one or all providers expire")
    func expiry() async throws {
        try await SandboxProcess.with { sandbox in
            let (any, bolt) = (try await sandbox.login("any"), try await sandbox.login("bolt"))
            let (first, second) = (
                try await sandbox.accessToken(of: any), try await sandbox.accessToken(of: bolt)
            )
            #expect(try await sandbox.apiStatus("bolt", second) == 200)
            try await sandbox.command("expire-access-tokens", #"{"provider":"bolt"}"#)
            #expect(try await sandbox.apiStatus("bolt", second) != 200)
            #expect(try await sandbox.apiStatus("any", first) == 200)
            let issuer = try #require(try sandbox.provider("any")["issuer"]?.string)
            let before = try await sandbox.get(issuer + "/.well-known/openid-configuration").headers["Date"]
            let now = try await sandbox.command("advance-clock", #"{"seconds":86400}"#)["now"]?.string
            #expect(try await sandbox.apiStatus("any", first) == 401)
            let after = try await sandbox.get(issuer + "/.well-known/openid-configuration").headers["Date"]
            // The day of the month: "Mon, 23 Nov 2026 …" and "2026-11-24T…".
            #expect(before?.dropFirst(5).prefix(2) != after?.dropFirst(5).prefix(2))
            // Midnight may pass after the command.
            let later = try await sandbox.command("advance-clock", #"{"seconds":1}"#)["now"]?.string
            #expect([now, later].contains { $0?.dropFirst(8).prefix(2) == after?.dropFirst(5).prefix(2) })
        }
    }

    @Test("set-access-token-lifetime changes the tokens that are issued from now on")
    func lifetime() async throws {
        try await SandboxProcess.with { sandbox in
            func lifetime(_ provider: String) async throws -> TimeInterval {
                let ended = try await sandbox.lab("login", "--provider", provider, "--callback", "sandbox")
                let text = try #require(try ended.event("session")["expires_at"]?.string, "\(ended)")
                return try Date(text, strategy: .iso8601).timeIntervalSinceNow
            }
            #expect(try await lifetime("any") < 3_700)
            try await sandbox.command("set-access-token-lifetime", #"{"seconds":80000,"provider":"openid"}"#)
            #expect(try await lifetime("any") > 70_000)
            #expect(try await lifetime("shopify") < 70_000)
            try await sandbox.command("set-access-token-lifetime", #"{"seconds":80000}"#)
            #expect(try await lifetime("shopify") > 70_000)
            #expect(try await lifetime("bolt") > 70_000)
        }
    }

    /// Whether a refresh of a session is refused for good.
    private func isRefused(_ session: String, _ sandbox: SandboxProcess) async throws -> Bool {
        let ended = try await sandbox.lab("token", "--session", session, "--refresh")
        guard ended.status != 0 else { return false }
        #expect(try ended.event("error")["kind"]?.string == "sign_in_again", "\(ended)")
        return true
    }

    @Test("revoke-tokens ends the refresh tokens of one buyer or of all")
    func revocation() async throws {
        try await SandboxProcess.with { sandbox in
            let grace = SandboxBuyer(email: "grace@example.com")
            let others = (try await sandbox.login("any", grace), try await sandbox.login("shopify", grace))
            let own = (try await sandbox.login("any"), try await sandbox.login("shopify"))
            try await sandbox.command("revoke-tokens", #"{"email":"ada@example.com","provider":"openid"}"#)
            #expect(try await isRefused(own.0, sandbox))
            #expect(try await !isRefused(own.1, sandbox))
            try await sandbox.command("revoke-tokens", Self.ada)
            #expect(try await isRefused(own.1, sandbox))
            #expect(try await !isRefused(others.0, sandbox))
            // The browser is still signed in.
            #expect(try await !sandbox.login("any", sandbox.robot, ["--prompt", "none"]).isEmpty)
            try await sandbox.command("revoke-tokens")
            #expect(try await isRefused(others.0, sandbox))
            #expect(try await isRefused(others.1, sandbox))
        }
    }

    @Test("end-sessions signs a buyer's browser out, revokes the tokens and sends the app a logout token")
    func endedSessions() async throws {
        let received = Mutex<[String]>([])
        let app = try await LoopbackServer.start { request in
            let body = String(decoding: request.body.prefix(13), as: UTF8.self)
            received.withLock { $0.append("\(request.path) \(body)") }
            return .message(status: 200)
        }
        try await SandboxProcess.with(["--app", app.origin]) { sandbox in
            let grace = SandboxBuyer(email: "grace@example.com")
            let other = try await sandbox.login("any", grace)
            var own: [String] = []
            for provider in ["any", "shopify", "bolt"] { own.append(try await sandbox.login(provider)) }
            try await sandbox.command("end-sessions", Self.ada)
            #expect(received.withLock(\.self) == ["/auth/backchannel-logout/any logout_token="])
            for id in own { #expect(try await isRefused(id, sandbox)) }
            #expect(try await !isRefused(other, sandbox))
            let silent = try await sandbox.begin("any", ["--prompt", "none"])
            let refused = try await sandbox.finish(silent, sandbox.robot)
            #expect(try refused.event("error")["code"]?.string == "login_required", "\(refused)")
            #expect(try await !sandbox.login("any", grace, ["--prompt", "none"]).isEmpty)
        }
        await app.stop()
    }

    @Test("plan-fault plans faults for one provider or all, and remove-faults removes them")
    func fault() async throws {
        try await SandboxProcess.with { sandbox in
            let (any, shopify) = (try await sandbox.login("any"), try await sandbox.login("shopify"))
            func refresh(_ session: String) async throws -> Int32 {
                try await sandbox.lab("token", "--session", session, "--refresh").status
            }
            try await sandbox.command("plan-fault", #"{"fault":"tokenRefused","provider":"bolt-sfcc"}"#)
            try await sandbox.command("plan-fault", #"{"fault":"wrongIssuer","provider":"openid"}"#)
            #expect(try await refresh(shopify) == 0)
            let forged = try await sandbox.lab("token", "--session", any, "--refresh")
            #expect(try forged.event("error")["attack_suspected"]?.bool == true, "\(forged)")
            try await sandbox.command("plan-fault", #"{"fault":"tokenOutage","times":1000}"#)
            #expect(try await refresh(shopify) != 0)
            try await sandbox.command("remove-faults", #"{"provider":"openid"}"#)
            #expect(try await refresh(shopify) != 0)
            try await sandbox.command("remove-faults")
            let healed = try await sandbox.login("shopify")
            #expect(try await refresh(healed) == 0)
            try await sandbox.command("plan-fault", #"{"fault":"storefrontOutage","times":1000}"#)
            func cart() async throws -> Int32 {
                try await sandbox.lab("cart", "--session", healed, "--line", "gid://shopify/ProductVariant/1").status
            }
            #expect(try await cart() == 75)
            try await sandbox.command("remove-faults")
            #expect(try await cart() == 0)
        }
    }

    @Test("set-order gives a buyer an order and changes it")
    func order() async throws {
        try await SandboxProcess.with { sandbox in
            let access = try await sandbox.accessToken(of: try await sandbox.login("shopify"))
            let api = try #require(try sandbox.provider("shopify")["endpoints"]?["api"]?.string)
            func orders() async throws -> [String] {
                let query =
                    "{ customer { orders(first: 5) { nodes { number financialStatus fulfillmentStatus cancelledAt } } } }"
                let body = JSONValue.object(["query": .string(query)]).serialized
                let headers = [
                    ("Authorization", access), ("User-Agent", "test"), ("Content-Type", "application/json"),
                ]
                let answer = try await sandbox.post(api, String(decoding: body, as: UTF8.self), headers).json
                let nodes = answer["data"]?["customer"]?["orders"]?["nodes"]?.array
                return try #require(nodes, "\(answer)").map { order in
                    [
                        order["number"]?.number?.integer.map { String($0) }, order["financialStatus"]?.string,
                        order["fulfillmentStatus"]?.string, order["cancelledAt"]?.string == nil ? "" : "cancelled",
                    ].compactMap(\.self).joined(separator: " ")
                }
            }
            #expect(try await orders() == [])
            try await sandbox.command("set-order", #"{"email":"ada@example.com","number":1001}"#)
            try await sandbox.command(
                "set-order",
                #"{"email":"ada@example.com","number":1002,"fulfillmentStatus":"UNFULFILLED"}"#
            )
            try await sandbox.command("set-order", #"{"email":"grace@example.com","number":1003}"#)
            #expect(try await orders() == ["1001 PAID FULFILLED ", "1002 PAID UNFULFILLED "])
            try await sandbox.command(
                "set-order",
                #"{"email":"ada@example.com","number":1002,"financialStatus":"REFUNDED","cancelled":true}"#
            )
            #expect(try await orders() == ["1001 PAID FULFILLED ", "1002 REFUNDED UNFULFILLED cancelled"])
            try await sandbox.command("set-order", #"{"email":"ada@example.com","number":1002,"cancelled":false}"#)
            #expect(try await orders().last == "1002 REFUNDED UNFULFILLED ")
        }
    }
}
