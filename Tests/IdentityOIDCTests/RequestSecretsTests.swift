import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentityTesting
import Synchronization
import Testing

/// Providers that repeat request parameters in `error_description`.
@Suite("Errors do not contain sent secrets")
struct RequestSecretsTests {
    private static func answer(saying text: String) -> LoopbackResponse {
        FakeProvider.json(
            ["error": .string("invalid_request"), "error_description": .string("No: \(text).")],
            status: 400
        )
    }

    /// The error descriptions of a login, a device login and two revocations if the endpoint repeats a value of the request.
    private func words(
        _ configure: (inout OpenIDProvider.Configuration) -> Void,
        repeating part: @escaping @Sendable (LoopbackRequest) -> String?
    ) async throws -> [String?] {
        let found = Mutex<[String?]>([])
        try await FakeWorld.run(configure) { world in
            world.fake.change(metadata: { [origin = world.fake.origin] in
                $0["revocation_endpoint"] = .string("\(origin)/revoke")
            })
            world.fake.intercept { request in
                guard ["/token", "/device", "/revoke"].contains(request.path) else { return nil }
                return Self.answer(saying: part(request) ?? "nothing")
            }
            func record(_ body: () async throws -> Void) async {
                do {
                    try await body()
                    Issue.record("The call was not refused.")
                } catch {
                    let words = IdentityError.wrapping(error).providerResponse?.errorDescription
                    found.withLock { $0.append(words) }
                }
            }
            await record { _ = try await world.login() }
            await record { _ = try await world.provider.deviceAuthorization(LoginOptions()) }
            var tokens = TokenSet(
                buyer: Buyer(issuer: world.fake.origin, subject: "buyer-1"),
                accessToken: Secret("access-token-1"),
                refreshToken: Secret("refresh-token-1"),
                issuedAt: world.clock.now
            )
            await record { try await world.provider.revoke(tokens) }
            tokens.refreshToken = nil
            let bare = tokens
            await record { try await world.provider.revoke(bare) }
        }
        return found.withLock { $0 }
    }

    private static func field(_ name: String) -> @Sendable (LoopbackRequest) -> String? {
        { request in request.formFields().first { $0.0 == name }?.1 }
    }

    @Test("an error does not show a revoked token, the client's secret or assertion")
    func revocation() async throws {
        let hidden = "No: …."
        let tokens = try await words({ _ in }, repeating: Self.field("token"))
        #expect(tokens.suffix(2) == [hidden, hidden])
        let hints = try await words({ _ in }, repeating: Self.field("token_type_hint"))
        #expect(hints.suffix(2) == ["No: refresh_token.", "No: access_token."])
        let secret = ClientAuthentication.secretPost(Secret("client-secret-1"))
        #expect(
            try await words({ $0.authentication = secret }, repeating: Self.field("client_secret"))
                == [hidden, hidden, hidden, hidden]
        )
        let basic = ClientAuthentication.secretBasic(Secret("client-secret-1"), encoding: .formEncoded)
        #expect(
            try await words({ $0.authentication = basic }, repeating: { $0.header("Authorization") })
                == [hidden, hidden, hidden, hidden]
        )
        let key = try ClientKey(Secret(ClientKeys.p256))
        #expect(
            try await words({ $0.authentication = .privateKeyJWT(key) }, repeating: Self.field("client_assertion"))
                == [hidden, hidden, hidden, hidden]
        )
    }

    @Test("an error of a pushed request does not show the client authentication")
    func pushedRequest() async throws {
        let key = try ClientKey(Secret(ClientKeys.p256))
        try await FakeWorld.run {
            $0.authentication = .privateKeyJWT(key)
            $0.pushesAuthorizationRequest = true
        } _: { world in
            world.fake.change(metadata: { [origin = world.fake.origin] in
                $0["pushed_authorization_request_endpoint"] = .string("\(origin)/pushed")
            })
            world.fake.intercept { request in
                guard request.path == "/pushed" else { return nil }
                return Self.answer(saying: Self.field("client_assertion")(request) ?? "nothing")
            }
            let error = await #expect(throws: IdentityError.self) { try await world.begin() }
            #expect(error?.providerResponse?.errorDescription == "No: ….")
        }
    }

    @Test("an error of a pushed request shows the parameters that are not secret")
    func publicParameters() async throws {
        var options = LoginOptions()
        options.prompt = "select_account"
        options.maximumAge = .seconds(86_400)
        options.authenticationContexts = ["urn:example:gold"]
        options.locale = "de-AT en-GB"
        let shown = [
            "acr_values", "code_challenge_method", "max_age", "prompt", "response_mode", "response_type", "ui_locales",
        ]
        for name in shown + ["state", "code_challenge"] {
            try await FakeWorld.run {
                $0.pushesAuthorizationRequest = true
                $0.responseMode = .formPost
            } _: { world in
                world.fake.change(metadata: { [origin = world.fake.origin] in
                    $0["pushed_authorization_request_endpoint"] = .string("\(origin)/pushed")
                })
                let value = Mutex("")
                world.fake.intercept { request in
                    guard request.path == "/pushed" else { return nil }
                    let sent = Self.field(name)(request) ?? "nothing"
                    value.withLock { $0 = sent }
                    return Self.answer(saying: sent)
                }
                let error = await #expect(throws: IdentityError.self) { try await world.begin(options) }
                let sent = value.withLock { $0 }
                #expect(sent != "nothing", "\(name)")
                let words = error?.providerResponse?.errorDescription
                #expect(words == (shown.contains(name) ? "No: \(sent)." : "No: …."), "\(name)")
            }
        }
    }

    @Test("an error does not show the DPoP proof")
    func proof() async throws {
        let words = try await words({ $0.usesDPoP = true }, repeating: { $0.header("DPoP") })
        #expect(words == ["No: ….", "No: nothing.", "No: nothing.", "No: nothing."])
    }
}
