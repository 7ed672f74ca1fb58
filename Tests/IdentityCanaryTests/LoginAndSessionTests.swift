import IdentityHTTP
import IdentityKit
import IdentitySQLite
import IdentityTesting
import StorefrontSandbox
import Testing

@Suite("Secrets in logins and sessions", .timeLimit(.minutes(20)))
struct LoginAndSessionTests {
    @Test("no output, error or file of a session from login to logout shows a secret", arguments: CanaryStage.providers)
    func success(provider: String) async throws {
        try await CanaryStage.with { stage in
            let witness = Witness(stage.canary)
            let store = try await stage.openStore()
            let app = try stage.app(store: store, witness: witness)
            let session = try await app.login(provider)
            await app.use(session.id)
            for (name, bytes) in try stage.files() { #expect(stage.canary.findings(in: bytes) == [], "\(name)") }
            #expect(witness.findings() == [])
            #expect(try stage.files().count >= 2)
            #expect(witness.sessions.contains(session.id.reference))
            // Many secrets were collected, and only the expected steps failed.
            #expect(stage.canary.count > 20)
            #expect(witness.codes.subtracting(["unsupported_by_provider", "not_refreshable"]) == [])
            await store.close()
        }
    }

    @Test(
        "if the responses to a login's requests repeat secrets, no error shows them",
        arguments: CanaryStage.providers
    )
    func loginFailures(provider: String) async throws {
        try await CanaryStage.with { stage in
            let witness = Witness(stage.canary)
            for attack in Attack.allCases {
                var index = 0
                var isReached = true
                while isReached {
                    let app = try stage.app(store: InMemoryStore(), witness: witness)
                    app.transport.order(attack) { [index] in $0 == index }
                    await app.see("\(attack) at request \(index)") { try await app.login(provider) }
                    isReached = app.transport.requests > index
                    index += 1
                }
                #expect(index > 1)
            }
            #expect(witness.findings() == [])
            #expect(witness.codes.count >= 4, "\(witness.codes)")
        }
    }

    @Test(
        "if the responses to a session's requests repeat secrets, no error shows them",
        arguments: CanaryStage.providers
    )
    func lifeFailures(provider: String) async throws {
        // A failed request leads to other requests than a successful one. So all requests fail, or every second one.
        let patterns: [@Sendable (Int) -> Bool] = [{ _ in true }, { $0 % 2 == 0 }, { $0 % 2 == 1 }]
        try await CanaryStage.with { stage in
            let witness = Witness(stage.canary)
            for attack in Attack.allCases {
                for pattern in patterns {
                    let app = try stage.app(store: InMemoryStore(), witness: witness)
                    let session = try await app.login(provider)
                    app.transport.order(attack, at: pattern)
                    await app.use(session.id)
                    #expect(app.transport.requests > 0)
                }
            }
            #expect(witness.findings() == [])
            #expect(witness.codes.count >= 4, "\(witness.codes)")
        }
    }

    @Test("errors about manipulated callbacks show nothing of the callback")
    func callbacks() async throws {
        try await CanaryStage.with { stage in
            // Text of the callback is untrusted: it may appear in providerResponse only.
            let witness = Witness(stage.canary, readsProviderResponses: false)
            let app = try stage.app(store: InMemoryStore(), witness: witness)
            let mark = FormEncoding.escape(stage.canary.plant("attacker +/&="))
            for provider in CanaryStage.providers {
                for change in [
                    { $0 + "&state=\(mark)" }, { $0 + "&iss=\(mark)" }, { $0 + "&code=\(mark)" },
                    { _ in "/?state=\(mark)&code=\(mark)" },
                    { $0.replacing("state=", with: "state=x") },
                    { $0.replacing("code=", with: "error=\(mark)&error_description=") },
                    { $0.replacing("code=", with: "error=access_denied&error_uri=") }, { $0 + "&%" },
                    { $0 + "&\(mark)=%zz" },
                    { _ in "http://127.0.0.1/callback" }, { $0 + String(repeating: mark, count: 1000) },
                ] as [@Sendable (String) -> String] {
                    await app.see("callback of \(provider)") { try await app.login(provider, changing: change) }
                }
            }
            for text in ["/?state=\(mark)", "/?state=\(mark)&state=\(mark)", "/?\(mark)"] {
                await app.see("return from logout") {
                    try await app.sessions.completeLogout(LogoutCallback(url: text), browserBinding: nil)
                }
            }
            for body in ["logout_token=\(mark)", "logout_token=\(mark)&logout_token=\(mark)", "\(mark)", mark] {
                let type = "application/x-www-form-urlencoded"
                let result = await app.sessions.backChannelLogout(
                    provider: "any",
                    body: Array(body.utf8),
                    contentType: type
                )
                witness.see(result, "logout token")
                witness.note(String(decoding: result.body, as: UTF8.self), "response to a logout token")
                if let error = result.error { witness.see(error, "logout token") }
            }
            #expect(witness.findings() == [])
            #expect(witness.codes.isSuperset(of: ["callback_invalid", "state_unknown", "access_denied"]))
        }
    }
}
