import Foundation
import IdentityKit
import IdentitySandbox
import StorefrontSandbox
import Testing

@Suite("identity-lab sessions", .timeLimit(.minutes(10)))
struct SessionTests {
    @Test("token --refresh refreshes a token of any age, and cannot be combined with --valid-for")
    func refreshNow() async throws {
        try await LabStage.with { stage in
            let id = try await stage.login("any").sessionID
            #expect(
                try await stage.run("token", "--session", id, "--json").event("token")["outcome"]?.string == "stored"
            )
            #expect(stage.sandbox.openID.counters.refreshes == 0)
            for count in 1...2 {
                let refreshed = try await stage.run("token", "--session", id, "--refresh", "--json")
                #expect(try refreshed.event("token")["outcome"]?.string == "refreshed_early", "\(refreshed)")
                #expect(stage.sandbox.openID.counters.refreshes == count)
            }
            let both = try await stage.run("token", "--session", id, "--refresh", "--valid-for", "60", "--json")
            #expect(both.status == 2)
        }
    }

    @Test("sessions prints references and no ids, and every command with --session also accepts a reference")
    func references() async throws {
        try await LabStage.with { stage in
            func ids(in text: String) -> [String] {
                text.split(whereSeparator: \.isWhitespace).map(String.init).filter { SessionID(rawValue: $0) != nil }
            }
            let login = try await stage.run("login", "--provider", "any", "--callback", "sandbox")
            let id = try #require(ids(in: login.output).first, "\(login)")
            let reference = try #require(SessionID(rawValue: id)?.reference.rawValue)
            let list = try await stage.run("sessions").output
            #expect(list.contains(reference) && ids(in: list).isEmpty, "\(list)")
            let listed = try await stage.run("sessions", "--json").event("session")
            #expect(listed["id"]?.string == id && listed["reference"]?.string == reference)

            let line = ["--line", "gid://shopify/ProductVariant/1"]
            for (arguments, status) in [
                (["token"], 0), (["profile"], 0), (["cart"] + line, 0),
                // The session is found, and its provider has no resources.
                (["call", "https://api.example/"], 2),
                (["logout"], 0), (["token"], 1), (["profile"], 1), (["cart"] + line, 1),
                (["call", "https://api.example/"], 1), (["logout"], 1),
            ] {
                let given = arguments + ["--session", reference, "--json"]
                let ended = try await LabProcess(given, environment: stage.environment).ended()
                #expect(ended.status == status, "\(ended)")
                if status == 1 { #expect(try ended.event("error")["code"]?.string == "session_unknown") }
            }
            let unknown = try await stage.run("token", "--session", id, "--json").event("error")
            let same = try await stage.run("token", "--session", reference, "--json").event("error")
            #expect(unknown["message"] == same["message"] && unknown["hint"] == same["hint"])
        }
    }

    @Test("token prints the new token after an early refresh, not the one that it replaced")
    func earlyRefresh() async throws {
        try await LabStage.with { stage in
            let login = try await stage.login("any")
            let id = try #require(try login.event("session")["id"]?.string.flatMap(SessionID.init(rawValue:)))
            try await stage.changeTokens(of: id) { tokens in
                tokens.issuedAt = Date(timeIntervalSinceNow: -3_100)
                tokens.expiresAt = Date(timeIntervalSinceNow: 500)
            }
            let ended = try await stage.run("token", "--session", id.rawValue, "--json")
            #expect(stage.sandbox.openID.counters.refreshes == 1)
            let expiresAt = try #require(try ended.event("token")["expires_at"]?.string)
            #expect(try Date(expiresAt, strategy: .iso8601).timeIntervalSinceNow > 1_000, "\(ended)")
        }
    }

    @Test("token names the scopes that a refresh no longer grants, in JSON and as text")
    func lostScopes() async throws {
        try await LabStage.with { stage in
            for format in [["--json"], []] {
                let id = try await stage.login("any").sessionID
                stage.sandbox.openID.planFault(.member("scope", .string("openid")), on: .token)
                let ended = try await LabProcess(
                    ["token", "--session", id, "--refresh"] + format,
                    environment: stage.environment
                )
                .ended()
                #expect(ended.status == 0, "\(ended)")
                guard !format.isEmpty else {
                    #expect(
                        ended.output.contains("The refreshed tokens no longer have the scopes email profile."),
                        "\(ended)"
                    )
                    continue
                }
                #expect(try ended.event("token")["lost_scopes"]?.strings == ["email", "profile"])
                #expect(try ended.event("token")["lost_refresh_token"]?.bool == false)
            }
        }
    }

    @Test(
        "--verbose also shows that the keys of a provider were fetched",
        arguments: ["login --callback sandbox --provider any", "compare --callback sandbox --provider any", "check"]
    )
    func keyEvents(command: String) async throws {
        try await LabStage.with { stage in
            let arguments = command.split(separator: " ").map { String($0) } + ["--verbose"]
            let ended = try await LabProcess(arguments, environment: stage.environment).ended()
            #expect(ended.errors.contains("keys fetched"), "\(ended)")
        }
    }

    @Test("no command of a session from login to logout prints a secret: token, list, cart, logout")
    func wholeLife() async throws {
        try await LabStage.with { stage in
            var callback = ""
            let login = try await stage.login("shopify", ["--verbose"]) {
                callback = $0
                return $0
            }
            let id = try login.sessionID
            let stored = try await stage.run("token", "--session", id, "--json", "--verbose")
            #expect(try stored.event("token")["outcome"]?.string == "stored")
            #expect(try stored.event("token")["access_token"] == nil)
            let refreshed = try await stage.run("token", "--session", id, "--valid-for", "7200", "--json", "--verbose")
            #expect(try refreshed.event("token")["outcome"]?.string == "refreshed_early")
            let revealed = try await stage.run("token", "--session", id, "--reveal", "--json")
            let token = try #require(try revealed.event("token")["access_token"]?.string)

            let list = try await stage.run("sessions", "--provider", "shopify", "--json", "--verbose")
            #expect(try list.events().map { $0["id"]?.string } == [id])

            let cart = try await stage.run(
                "cart",
                "--session",
                id,
                "--line",
                "gid://shopify/ProductVariant/1:2",
                "--line",
                "gid://shopify/ProductVariant/2",
                "--buyer-ip",
                "203.0.113.7",
                "--json",
                "--verbose"
            )
            let event = try cart.event("cart")
            #expect(event["identity"]?.string == "customer")
            #expect(event["warnings"]?.array?.isEmpty == true)
            #expect(event["checkout_url"]?.string?.isEmpty == false)
            let state = try #require(stage.sandbox.storefront.cartStates.first)
            #expect(state.id == event["id"]?.string)
            #expect(state.customerAccessToken == token)
            #expect(
                state.quantities == ["gid://shopify/ProductVariant/1": 2, "gid://shopify/ProductVariant/2": 1]
            )

            let more = try await stage.run(
                "cart",
                "--session",
                id,
                "--cart",
                state.id,
                "--line",
                "gid://shopify/ProductVariant/2:3",
                "--buyer-ip",
                "203.0.113.7",
                "--json"
            )
            #expect(try more.event("cart")["id"]?.string == state.id)
            #expect(stage.sandbox.storefront.cartStates.first?.quantities["gid://shopify/ProductVariant/2"] == 4)

            let logout = try await stage.run("logout", "--session", id, "--json", "--verbose")
            #expect(try logout.event("logout")["browser_url"]?.string?.contains("/logout?") == true)
            #expect(try logout.event("logout")["problems"] == nil)
            #expect(stage.sandbox.storefront.cartStates.first?.customerAccessToken == nil)
            let again = try await stage.run("logout", "--session", id, "--json")
            #expect(again.status == 1)
            #expect(try again.event("error")["code"]?.string == "session_unknown")

            let code = try #require(LabStage.parameter("code", in: callback))
            let key = try #require(stage.environment["IDENTITY_STORE_KEY"])
            let secrets = [code, token, key] + stage.environment.filter { $0.key.hasSuffix("SECRET") }.values
            for printed in [login, stored, refreshed, list, cart, logout, again] {
                for secret in secrets { #expect(!(printed.output + printed.errors).contains(secret)) }
            }
        }
    }

    @Test("a cart gets Bolt's buyer as a contact and SFCC's buyer as a guest, and neither has a logout page")
    func otherIdentities() async throws {
        try await LabStage.with { stage in
            for (provider, identity) in [("bolt", "contact"), ("bolt-sfcc", "guest")] {
                let id = try await stage.login(provider).sessionID
                let cart = try await stage.run(
                    "cart",
                    "--session",
                    id,
                    "--line",
                    "gid://shopify/ProductVariant/1",
                    "--json"
                )
                #expect(try cart.event("cart")["identity"]?.string == identity, "\(cart)")
                let logout = try await stage.run("logout", "--session", id, "--json")
                #expect(try logout.event("logout")["browser_url"] == .null)
            }
        }
    }

    @Test("profile prints the provider's UserInfo, and UserInfo of another subject is refused")
    func profile() async throws {
        try await LabStage.with { stage in
            let id = try await stage.login("any").sessionID
            let event = try await stage.run("profile", "--session", id, "--json").event("profile")
            #expect(event["subject"]?.string?.isEmpty == false)
            #expect(event["email"]?.string?.contains("@") == true)
            #expect(event["email_verified"]?.bool == true)

            stage.sandbox.openID.planFault(.member("sub", .string("somebody else")), on: .api, times: 1)
            let refused = try await stage.run("profile", "--session", id, "--json")
            #expect(refused.status == 1)
            #expect(try refused.event("error")["code"]?.string == "id_token_subject")
            #expect(!refused.output.contains("@"))
        }
    }

    @Test("token prints why a refresh failed while the old token is still valid")
    func failedRefresh() async throws {
        try await LabStage.with { stage in
            let id = try await stage.login("any").sessionID
            stage.sandbox.openID.planFault(.tooManyRequests(retryAfter: 30), on: .token, times: 4)
            let ended = try await stage.run("token", "--session", id, "--valid-for", "86400", "--json")
            #expect(ended.status == 0, "\(ended)")
            let event = try ended.event("token")
            #expect(event["outcome"]?.string == "still_valid")
            #expect(event["reason"]?.string?.contains(": ") == true)
            let text = try await stage.run("token", "--session", id, "--valid-for", "86400")
            #expect(text.output.contains("The refresh failed: "))
        }
    }

    @Test("a command with the wrong store key fails, and the store is unchanged")
    func wrongKey() async throws {
        try await LabStage.with { stage in
            let id = try await stage.login("any").sessionID
            let other = stage.environment.merging(["IDENTITY_STORE_KEY": String(repeating: "a", count: 64)]) { $1 }
            let ended = try await LabProcess(["sessions", "--json"], environment: other).ended()
            #expect(ended.status == 2)
            #expect(try ended.event("error")["code"]?.string == "store_key_mismatch")
            let kept = try await stage.run("sessions", "--json")
            #expect(try kept.event("session")["id"]?.string == id)
        }
    }

    @Test("--store replaces the configured path")
    func otherStore() async throws {
        try await LabStage.with { stage in
            let path = stage.folder.appendingPathComponent("other.sqlite").path
            let login = try await stage.login("any", ["--store", path])
            #expect(login.status == 0)
            // A login creates a missing store; a command that only reads fails.
            let missing = try await stage.run("sessions", "--json")
            #expect(missing.status == 2)
            #expect(try missing.event("error")["message"]?.string?.contains("There is no database at") == true)
            let files = try FileManager.default.contentsOfDirectory(atPath: stage.folder.path)
            #expect(!files.contains("identity.sqlite"))
            #expect(try await stage.run("sessions", "--json", "--store=\(path)").events().count == 1)
        }
    }
}
