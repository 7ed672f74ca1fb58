import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentityTesting
import TestDoubles
import Testing

@Suite("Refreshes with the ID token of another login")
struct ForeignRefreshTests {
    /// A change of one claim, after which the ID token does not fit the session.
    struct Lie: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: IdentityError.Code
        let change: @Sendable (inout JSONObject) -> Void
    }

    static let lies = [
        Lie(testDescription: "issuer", code: .idTokenIssuer) { $0["iss"] = .string("https://evil.example") },
        Lie(testDescription: "subject", code: .idTokenSubject) { $0["sub"] = .string("buyer-2") },
        Lie(testDescription: "audience", code: .idTokenAudience) { $0["aud"] = .string("client-2") },
        Lie(testDescription: "authorized party", code: .idTokenAudience) { $0["azp"] = .string("client-2") },
        Lie(testDescription: "nonce", code: .idTokenNonce) { $0["nonce"] = .string("of another login") },
    ]

    /// A second fault of the response, for which alone the response would be refused with another error.
    enum Trouble: String, CaseIterable, Sendable { case none, expired, signature, withoutAccessToken }

    /// A session whose access token is valid, and processes that share its row.
    private struct Stage {
        let world: FakeWorld
        let store = InMemoryStore()
        let heard = EventSink()
        let tokens: TokenSet
        let id: SessionID

        init(_ world: FakeWorld) async throws {
            self.world = world
            tokens = try await world.login()
            let manager = try world.manager(store)
            id = try await manager.establish(tokens, provider: "fake").id
        }

        /// Another process, which has cached nothing of the provider.
        func process(issuers: [String]? = nil) throws -> SessionManager {
            var configuration = OpenIDProvider.Configuration(
                name: "fake",
                issuer: world.fake.origin,
                clientID: "client-1"
            )
            configuration.allowsLoopbackHTTP = true
            configuration.timeout = .seconds(60)
            configuration.acceptedIssuers = issuers.map { .exactly($0) }
            return SessionManager(
                providers: try ProviderRegistry([
                    try OpenIDProvider(configuration, environment: world.environment)
                ]),
                store: store,
                environment: world.environment,
                observers: [heard]
            )
        }

        func refusal(_ call: () async throws -> SessionTokens) async -> IdentityError? {
            await #expect(throws: IdentityError.self) { _ = try await call() }
        }
    }

    @Test(
        "an ID token of another login is reported before other faults and blocks the session; a logout sends the old ID token",
        arguments: lies,
        Trouble.allCases
    )
    func stops(_ lie: Lie, _ trouble: Trouble) async throws {
        try await FakeWorld.run { world in
            let stage = try await Stage(world)
            world.fake.change(claims: { claims in
                lie.change(&claims)
                if trouble == .expired { claims["exp"] = .integer(1_000_000_000) }
            })
            if trouble == .signature { world.fake.rotate(to: try TokenSigner(.es256), publishing: false) }
            if trouble == .withoutAccessToken { world.fake.change(answer: { $0["access_token"] = nil }) }
            let first = await stage.refusal { try await stage.process().refreshTokens(for: stage.id) }
            #expect(first?.code == lie.code && first?.kind == .rejected && first?.isAttackSuspected == true)
            // The stored response is validated again, without metadata and keys.
            world.fake.replace("/jwks", by: .message(status: 500))
            world.fake.replace("/.well-known/openid-configuration", by: .message(status: 500))
            for _ in 0..<2 {
                let error = await stage.refusal { try await stage.process().tokens(for: stage.id) }
                #expect(error?.code == lie.code && error?.kind == .rejected && error?.isAttackSuspected == true)
            }
            #expect(stage.heard.attacks == [.refreshFailed(lie.code)])
            #expect(world.fake.requests(to: "/token").count == 2)
            #expect(world.fake.requests(to: "/userinfo").isEmpty)
            world.fake.replace("/.well-known/openid-configuration", by: nil)
            let end = try await stage.process().logout(stage.id)
            let idToken = try #require(stage.tokens.idToken)
            #expect(end.browserURL?.text.contains("id_token_hint=\(idToken.reveal())") == true)
        }
    }

    @Test(
        "a changed issuer is accepted once the configuration lists the old and the new one, but not while the keys are unavailable"
    )
    func moved() async throws {
        try await FakeWorld.run { world in
            let stage = try await Stage(world)
            let (old, new) = (world.fake.origin, "https://new.example")
            world.fake.change(claims: { $0["iss"] = .string(new) })
            #expect(
                await stage.refusal { try await stage.process().refreshTokens(for: stage.id) }?.code == .idTokenIssuer
            )
            world.fake.replace("/jwks", by: .message(status: 500))
            let standing = await stage.refusal { try await stage.process(issuers: [old, new]).tokens(for: stage.id) }
            #expect(standing?.code == .idTokenIssuer && standing?.isAttackSuspected == true)
            #expect((standing?.cause as? IdentityError)?.kind == .retryLater)
            world.fake.replace("/jwks", by: nil)
            let got = try await stage.process(issuers: [old, new]).tokens(for: stage.id)
            #expect(got.tokens.accessToken.reveal() == "access-2" && !got.session.needsLogin)
            #expect(stage.heard.attacks == [.refreshFailed(.idTokenIssuer)])
        }
    }
}
