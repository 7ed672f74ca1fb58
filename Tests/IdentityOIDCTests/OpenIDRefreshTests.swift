import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import IdentityTesting
import TestDoubles
import Testing

@Suite("OpenID provider: after the login")
struct OpenIDRefreshTests {
    @Test("a refresh keeps what its response does not contain: ID token, refresh token, scopes, lifetime")
    func refresh() async throws {
        try await FakeWorld.run { world in
            let tokens = try await world.login()
            world.fake.change(answer: { answer in
                for name in ["id_token", "refresh_token", "scope", "expires_in"] { answer[name] = nil }
            })
            world.clock.advance(by: .seconds(100))
            let refreshed = try await world.provider.refresh(tokens)
            #expect(refreshed.accessToken.reveal() == "access-2")
            #expect(refreshed.refreshToken?.reveal() == "refresh-1")
            #expect(refreshed.idToken?.reveal() == tokens.idToken?.reveal())
            #expect(refreshed.scopes == tokens.scopes)
            #expect(refreshed.expiresAt == world.clock.now + 3600)
            let sent = try #require(world.fake.requests(to: "/token").last)
            #expect(sent.formFields().map(\.0) == ["grant_type", "client_id", "refresh_token"])
        }
    }

    @Test(
        "if expires_in cannot be used, a refresh keeps the new tokens with the lifetime of the old ones",
        arguments: [.integer(0), .integer(-1), .integer(10 * 366 * 86_400 + 1), .string("soon")] as [JSONValue]
    )
    func unusableLifetime(_ value: JSONValue) async throws {
        try await FakeWorld.run { world in
            let tokens = try await world.login()
            world.fake.change(answer: { $0["expires_in"] = value })
            world.clock.advance(by: .seconds(100))
            let refreshed = try await world.provider.refresh(tokens)
            #expect(refreshed.accessToken.reveal() == "access-2")
            #expect(refreshed.expiresAt == world.clock.now + 3600)
        }
    }

    @Test("a refresh without expires_in does not expire at once, even if the app stored the old token after its expiry")
    func expiredBeforeItsIssue() async throws {
        try await FakeWorld.run { world in
            var tokens = try await world.login()
            tokens.expiresAt = tokens.issuedAt - 60
            world.fake.change(answer: { $0["expires_in"] = nil })
            let refreshed = try await world.provider.refresh(tokens)
            #expect(refreshed.expiresAt == nil)
        }
    }

    @Test(
        "an empty ID token or refresh token counts as missing, and the login's ID token may be sent again, also after its expiry"
    )
    func repeatedOrEmpty() async throws {
        try await FakeWorld.run { world in
            let tokens = try await world.login()
            let idToken = try #require(tokens.idToken)
            for repeated in ["", idToken.reveal()] {
                world.fake.change(answer: { answer in
                    answer["id_token"] = .string(repeated)
                    answer["refresh_token"] = .string("")
                })
                world.clock.advance(by: .seconds(7200))
                let refreshed = try await world.provider.refresh(tokens)
                #expect(refreshed.accessToken.reveal() != tokens.accessToken.reveal())
                #expect(refreshed.idToken?.isEqual(to: idToken) == true)
                #expect(refreshed.refreshToken?.reveal() == "refresh-1")
            }
        }
    }

    @Test("no token is sent to a provider whose issuer is not the session's, unless both issuers are configured")
    func issuerChanged() async throws {
        try await FakeWorld.run { world in
            world.fake.change(metadata: { metadata in
                let origin = metadata["issuer"]?.string ?? ""
                for name in ["revocation", "userinfo", "end_session"] {
                    metadata[name + "_endpoint"] = .string("\(origin)/\(name)")
                }
            })
            var tokens = try await world.login()
            tokens.buyer.issuer = "https://old.example"
            let known = world.fake.paths().count
            let errors = [
                await #expect(throws: IdentityError.self) { try await world.provider.refresh(tokens) },
                await #expect(throws: IdentityError.self) { try await world.provider.revoke(tokens) },
                await #expect(throws: IdentityError.self) { try await world.provider.userInfo(for: tokens) },
                await #expect(throws: IdentityError.self) { try await world.provider.buyerProfile(for: tokens) },
            ]
            #expect(errors.map { $0?.code } == Array(repeating: .issuerChanged, count: 4))
            #expect(try await world.provider.logoutURL(for: tokens, returningTo: nil) == nil)
            #expect(world.fake.paths().count == known)

            var configuration = world.provider.client.configuration
            configuration.acceptedIssuers = [world.fake.origin, "https://old.example"]
            let both = try OpenIDProvider(configuration, environment: world.environment)
            world.fake.change(answer: { $0["id_token"] = nil })
            #expect(try await both.refresh(tokens).accessToken.reveal() == "access-2")
            #expect(try await both.logoutURL(for: tokens, returningTo: nil) != nil)

            let store = InMemoryStore()
            func sessions(_ provider: OpenIDProvider) throws -> SessionManager {
                SessionManager(
                    providers: try ProviderRegistry([provider]),
                    store: store,
                    environment: world.environment
                )
            }
            let id = try await sessions(both).establish(tokens, provider: "fake").id
            let kept = await #expect(throws: IdentityError.self) {
                _ = try await sessions(world.provider).refreshTokens(for: id)
            }
            #expect(kept?.code == .issuerChanged)
            #expect(try await sessions(both).refreshTokens(for: id).tokens.accessToken.reveal() == "access-3")
        }
    }

    @Test("a refresh token is not sent while the keys for its response are unavailable")
    func keysFirst() async throws {
        try await FakeWorld.run { world in
            let tokens = try await world.login()
            var configuration = OpenIDProvider.Configuration(
                name: "fake",
                issuer: world.fake.origin,
                clientID: "client-1"
            )
            configuration.allowsLoopbackHTTP = true
            configuration.timeout = .seconds(60)
            let restarted = try OpenIDProvider(configuration, environment: world.environment)
            world.fake.replace("/jwks", by: .message(status: 500))
            let error = await #expect(throws: IdentityError.self) { _ = try await restarted.refresh(tokens) }
            #expect(error?.kind == .retryLater)
            #expect(world.fake.requests(to: "/token").count == 1)
            world.fake.replace("/jwks", by: nil)
            #expect(try await restarted.refresh(tokens).accessToken.reveal() == "access-2")
        }
    }

    @Test(
        "if the keys cannot be fetched after a token response, the refresh token is not sent again",
        arguments: [500, 404]
    )
    func spentOnce(status: Int) async throws {
        try await FakeWorld.run { world in
            let manager = try world.manager()
            let session = try await manager.establish(try await world.login(), provider: "fake")
            var forge = try TokenSigner(.es256)
            forge.keyID = "key-2"
            world.fake.rotate(to: forge, publishing: false)
            world.fake.replace("/jwks", by: .message(status: status))
            let error = await #expect(throws: IdentityError.self) {
                _ = try await manager.refreshTokens(for: session.id)
            }
            #expect(error?.kind == .retryLater)
            #expect(world.fake.requests(to: "/token").count == 2)
        }
    }

    @Test(
        "a genuine response is kept while the keys cannot be fetched after a key rotation, also without a new kid",
        arguments: ["k1", nil]
    )
    func keyReplacedDuringOutage(keyID: String?) async throws {
        try await FakeWorld.run { world in
            let manager = try world.manager()
            let session = try await manager.establish(try await world.login(), provider: "fake")
            var forge = try TokenSigner(.es256)
            forge.keyID = keyID
            world.fake.rotate(to: forge, publishing: true)
            world.fake.replace("/jwks", by: .message(status: 503))
            let outage = await #expect(throws: IdentityError.self) {
                _ = try await manager.refreshTokens(for: session.id)
            }
            #expect(outage?.kind == .retryLater && outage?.code == .providerUnavailable)
            #expect(outage?.isAttackSuspected == false)
            world.fake.replace("/jwks", by: nil)
            world.clock.advance(by: .seconds(10))
            let recovered = try await manager.refreshTokens(for: session.id)
            #expect(recovered.tokens.accessToken.reveal() == "access-2")
            #expect(world.fake.requests(to: "/token").count == 2)
        }
    }

    @Test(
        "a refresh whose response leaves its outcome open is repeated once with the same token; after 503, 429 or 400 it is not",
        arguments: [(500, 2), (502, 2), (504, 2), (200, 2), (302, 2), (307, 2), (503, 1), (429, 1), (400, 1)]
    )
    func inDoubt(status: Int, requests: Int) async throws {
        try await FakeWorld.run { world in
            let manager = try world.manager()
            let session = try await manager.establish(try await world.login(), provider: "fake")
            world.fake.replace("/token", by: .message(status: status, body: Array("<html>".utf8)))
            _ = try? await manager.refreshTokens(for: session.id)
            let sent = world.fake.requests(to: "/token").dropFirst()
            #expect(sent.count == requests)
            #expect(sent.allSatisfy { $0.formFields().contains { $0 == ("refresh_token", "refresh-1") } })
            #expect(try await !manager.session(session.id).needsLogin)
        }
    }

    static let credentials: [(ClientAuthentication, header: String?, body: String?)] = [
        (.secretBasic(Secret("p:w+ü%/ ")), "client-1:p%3Aw%2B%C3%BC%25%2F%20", nil),
        (.secretBasic(Secret("p:w+%"), encoding: .verbatimForNonconformingProvider), "client-1:p:w+%", nil),
        (.secretPost(Secret("p:w+ü%/ ")), nil, "p:w+ü%/ "), (.none, nil, nil),
    ]

    @Test("the client secret is sent as configured, form-encoded in Basic credentials", arguments: 0..<4)
    func clientAuthentication(index: Int) async throws {
        let (authentication, header, body) = Self.credentials[index]
        try await FakeWorld.run({ $0.authentication = authentication }) { world in
            _ = try await world.login()
            let sent = try #require(world.fake.requests(to: "/token").first)
            #expect(sent.header("Authorization") == header.map { "Basic " + Base64.encode(Array($0.utf8)) })
            #expect(sent.formFields().first { $0.0 == "client_secret" }?.1 == body)
            // Okta and Intuit reject a client id in the body beside Basic credentials.
            #expect(sent.formFields().contains { $0.0 == "client_id" } == (header == nil))
        }
    }

    @Test("the logout URL has client, ID token and return URI; without an end-session endpoint the logout URL is nil")
    func logout() async throws {
        try await FakeWorld.run { world in
            let tokens = try await world.login()
            let url = try #require(
                try await world.provider.logoutURL(for: tokens, returningTo: "https://app.example/?a=1")
            )
            let idToken = try #require(tokens.idToken).reveal()
            let expected =
                "\(world.fake.origin)/logout?id_token_hint=\(idToken)&client_id=client-1"
                + "&post_logout_redirect_uri=https%3A%2F%2Fapp.example%2F%3Fa%3D1"
            #expect(url.text == expected)
            let address = "https://app.example/?a=1"
            let supporting = try #require(world.provider as (any IdentityProvider) as? any LogoutStateSupporting)
            let marked = try await supporting.logoutURL(for: tokens, returningTo: address, state: Secret("s &1"))
            #expect(marked?.text == "\(expected)&state=s%20%261")
            // An ID token may have 32 KiB, but a URL only 8 KiB, so a large ID token is left out.
            var large = tokens
            large.idToken = Secret(String(repeating: "t", count: 9000))
            let short = try await supporting.logoutURL(for: large, returningTo: address, state: Secret("s &1"))
            #expect(short?.text == "\(expected)&state=s%20%261".replacing("id_token_hint=\(idToken)&", with: ""))
            await #expect(throws: IdentityError.self) {
                try await world.provider.logoutURL(
                    for: tokens,
                    returningTo: "\(address)&b=\(String(repeating: "b", count: 9000))"
                )
            }
        }
        try await FakeWorld.run { world in
            world.fake.change(metadata: { $0["end_session_endpoint"] = nil })
            let tokens = try await world.login()
            #expect(try await world.provider.logoutURL(for: tokens, returningTo: nil) == nil)
        }
    }
}
