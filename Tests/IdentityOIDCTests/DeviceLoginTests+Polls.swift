import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentityTesting
import TestDoubles
import Testing

extension DeviceLoginTests {
    struct Poll: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let response: LoopbackResponse
        /// `pending`, `slowDown`, `unanswered`, or the code of the error that ends the login.
        let outcome: String

        init(_ error: String, _ outcome: String, status: Int = 400) {
            testDescription = "\(error) \(status)"
            response = DeviceLoginTests.error(error, status)
            self.outcome = outcome
        }

        init(_ name: String, _ response: LoopbackResponse, _ outcome: String) {
            testDescription = name
            self.response = response
            self.outcome = outcome
        }
    }

    static let polls: [Poll] = [
        Poll("authorization_pending", "pending"), Poll("authorization_pending", "pending", status: 428),
        Poll("authorization_pending", "pending", status: 200), Poll("slow_down", "slowDown"),
        Poll("slow_down", "slowDown", status: 403),
        Poll("slow_down", "slowDown", status: 429), Poll("expired_token", "attempt_expired"),
        Poll("access_denied", "access_denied"), Poll("access_denied", "access_denied", status: 403),
        Poll("invalid_grant", "invalid_grant"), Poll("invalid_client", "invalid_client", status: 401),
        Poll("unauthorized_client", "unauthorized_client"), Poll("unsupported_grant_type", "unsupported_grant_type"),
        Poll("Authorization_Pending", "unexpected_response"), Poll("pending", "unexpected_response"),
        Poll("authorization_pending", "unanswered", status: 500), Poll("access_denied", "unanswered", status: 503),
        Poll("expired_token", "attempt_expired", status: 429), Poll("temporarily_unavailable", "unanswered"),
        Poll("429 alone", .message(status: 429), "unanswered"), Poll("502 page", .message(status: 502), "unanswered"),
        Poll("200 page", .message(status: 200, body: Array("<html>".utf8)), "unanswered"),
        Poll("authorization_pending", "redirect_refused", status: 302),
        Poll("no token", FakeProvider.json(["token_type": .string("Bearer")]), "token_response_invalid"),
        Poll("broken JSON", .message(status: 200, body: Array("{\"error\":".utf8)), "token_response_invalid"),
    ]

    @Test("each response to a poll has the expected outcome", arguments: polls)
    func poll(_ poll: Poll) async throws {
        try await FakeWorld.run { world in
            let authorization = try await world.provider.deviceAuthorization(LoginOptions())
            world.fake.replace("/token", by: poll.response)
            let outcome: String
            do {
                switch try await world.provider.poll(authorization) {
                case .pending: outcome = "pending"
                case .slowDown: outcome = "slowDown"
                case .unanswered: outcome = "unanswered"
                case .authorized: outcome = "authorized"
                }
            } catch let error as IdentityError {
                outcome = error.code.rawValue
            }
            #expect(outcome == poll.outcome)
        }
    }

    @Test("a connection that is reset does not end a device login, but a changed issuer does")
    func reset() async throws {
        try await FakeWorld.run { world in
            var authorization = try await world.provider.deviceAuthorization(LoginOptions())
            world.fake.replace("/token", by: .script([.reset]))
            guard case .unanswered(let error) = try await world.provider.poll(authorization) else {
                Issue.record("The login ended.")
                return
            }
            #expect(error.code == .providerUnavailable)
            authorization.issuer = "https://another.example"
            let refused = await failure { try await world.provider.poll(authorization) }
            #expect(refused?.code == .discoveryIssuerMismatch)
        }
    }

    struct Token: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: IdentityError.Code?
        var options = LoginOptions()
        let change: @Sendable (inout JSONObject) -> Void
    }

    static let tokens: [Token] = {
        var recent = LoginOptions()
        recent.maximumAge = .seconds(60)
        var strong = LoginOptions()
        strong.authenticationContexts = ["phr"]
        return [
            Token(testDescription: "a nonce that was not sent", code: .idTokenNonce) { $0["nonce"] = .string("n") },
            Token(testDescription: "a nonce that is not a string", code: .idTokenNonce) { $0["nonce"] = .integer(1) },
            Token(testDescription: "another access token's hash", code: .idTokenAccessTokenHash) {
                $0["at_hash"] = .string("AAAAAAAAAAAAAAAAAAAAAA")
            },
            Token(testDescription: "another issuer", code: .idTokenIssuer) {
                $0["iss"] = .string("https://evil.example")
            },
            Token(testDescription: "another audience", code: .idTokenAudience) { $0["aud"] = .string("client-2") },
            Token(testDescription: "expired", code: .idTokenTime) { $0["exp"] = .integer(1_789_000_000) },
            Token(testDescription: "an old login", code: .idTokenAuthentication, options: recent) {
                $0["auth_time"] = .integer(1_789_990_000)
            },
            Token(testDescription: "a recent login", code: nil, options: recent) {
                $0["auth_time"] = .integer(1_789_999_990)
            },
            Token(testDescription: "another acr", code: .idTokenAuthentication, options: strong) {
                $0["acr"] = .string("pwd")
            },
        ]
    }()

    @Test("the ID token of a device login is validated like any other, and must not have a nonce", arguments: tokens)
    func idToken(token: Token) async throws {
        try await FakeWorld.run { world in
            let authorization = try await world.provider.deviceAuthorization(token.options)
            world.fake.change(claims: token.change)
            let error = await failure { try await world.provider.poll(authorization) }
            #expect(error?.code == token.code)
        }
    }

    @Test("a response without ID token, or with a forged one, fails the login")
    func forged() async throws {
        try await FakeWorld.run { world in
            let authorization = try await world.provider.deviceAuthorization(LoginOptions())
            world.fake.change(answer: { $0["id_token"] = nil })
            let missing = await failure { try await world.provider.poll(authorization) }
            #expect(missing?.code == .idTokenMissing)
            world.fake.change(answer: { _ in })
            world.fake.rotate(to: try TokenSigner(.es256), publishing: false)
            let forged = await failure { try await world.provider.poll(authorization) }
            #expect(forged?.code == .idTokenSignature)
        }
    }
}
