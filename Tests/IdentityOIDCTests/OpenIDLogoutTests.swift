import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import TestDoubles
import Testing

@Suite("OpenID provider: logout and revocation")
struct OpenIDLogoutTests {
    private func token(_ world: FakeWorld, _ forge: TokenSigner? = nil, jti: String = "token-1") throws -> Secret {
        var claims = LogoutTokenTests.goodClaims
        claims["iss"] = .string(world.fake.origin)
        claims["jti"] = .string(jti)
        return try (forge ?? world.fake.forge).token(claims) { $0["typ"] = .string("logout+jwt") }
    }

    @Test(
        "the provider's session id (sid) comes from the ID token; a refresh keeps it unless the new ID token has another"
    )
    func name() async throws {
        try await FakeWorld.run { world in
            #expect(try await world.login().providerSessionID == nil)
            world.fake.change(claims: { $0["sid"] = .string("session-1") })
            let tokens = try await world.login()
            #expect(tokens.providerSessionID == "session-1")
            world.fake.change(claims: { $0["nonce"] = nil })
            #expect(try await world.provider.refresh(tokens).providerSessionID == "session-1")
            world.fake.change(claims: {
                $0["nonce"] = nil
                $0["sid"] = .string("session-2")
            })
            #expect(try await world.provider.refresh(tokens).providerSessionID == "session-2")
            world.fake.change(answer: { $0["id_token"] = nil })
            #expect(try await world.provider.refresh(tokens).providerSessionID == "session-1")
        }
    }

    @Test(
        "a sid that is invalid or longer than 512 bytes is not stored",
        arguments: [.integer(1), .string(""), .null] as [JSONValue]
    )
    func uselessName(_ name: JSONValue) async throws {
        try await FakeWorld.run { world in
            world.fake.change(claims: { $0["sid"] = name })
            let tokens = try await world.login()
            #expect(tokens.providerSessionID == nil)
            world.fake.change(claims: { $0["sid"] = .string(String(repeating: "s", count: 513)) })
            #expect(try await world.login().providerSessionID == nil)
        }
    }

    @Test("a logout token ends its session, and is accepted only once")
    func journey() async throws {
        try await FakeWorld.run { world in
            world.fake.change(claims: { $0["sid"] = .string("session-1") })
            let manager = try world.manager()
            let session = try await manager.establish(try await world.login(), provider: "fake")
            let body = Array("logout_token=\(try token(world).reveal())".utf8)
            func send() async -> BackChannelLogoutResult {
                await manager.backChannelLogout(
                    provider: "fake",
                    body: body,
                    contentType: "application/x-www-form-urlencoded"
                )
            }
            let result = await send()
            #expect(result.status == 200)
            #expect(result.sessions.map(\.id) == [session.id])
            #expect(try await manager.sessions().isEmpty)
            #expect(await send().error?.code == .logoutTokenReplayed)
        }
    }

    @Test(
        "a logout token with a new key is accepted, a forged one is refused, and without keys the error is retryLater"
    )
    func keys() async throws {
        try await FakeWorld.run { world in
            _ = try await world.provider.validate(logoutToken: try token(world))
            var next = try TokenSigner(.es256)
            next.keyID = "k2"
            world.fake.rotate(to: next, publishing: true)
            _ = try await world.provider.validate(logoutToken: try token(world))
            var otherForge = try TokenSigner(.es256)
            otherForge.keyID = "k2"
            let forged = try token(world, otherForge)
            let error = await #expect(throws: IdentityError.self) {
                _ = try await world.provider.validate(logoutToken: forged)
            }
            #expect(error?.code == .idTokenSignature)
        }
        try await FakeWorld.run { world in
            world.fake.replace("/jwks", by: .message(status: 500))
            let down = await #expect(throws: IdentityError.self) {
                _ = try await world.provider.validate(logoutToken: try token(world))
            }
            #expect(down?.kind == .retryLater)
        }
    }

    @Test(
        "forged logout tokens do not use up the rate limit of logins; a token with a new key is accepted after a login has fetched the key"
    )
    func flood() async throws {
        try await FakeWorld.run { world in
            _ = try await world.login()
            func refusal(_ token: Secret) async -> IdentityError? {
                await #expect(throws: IdentityError.self) {
                    _ = try await world.provider.validate(logoutToken: token)
                }
            }
            var otherForge = try TokenSigner(.es256)
            otherForge.keyID = "next"
            for _ in 0..<2 { _ = await refusal(try token(world, otherForge)) }
            #expect(world.fake.requests(to: "/jwks").count == 2)
            otherForge.keyID = "made-up"
            #expect(await refusal(try token(world, otherForge))?.code == .idTokenKeyUnknown)
            for number in 0..<10 {
                otherForge.keyID = "made-up-\(number)"
                #expect(await refusal(try token(world, otherForge))?.kind == .retryLater)
            }
            #expect(world.fake.requests(to: "/jwks").count == 3)
            var next = try TokenSigner(.es256)
            next.keyID = "next"
            world.fake.rotate(to: next, publishing: true)
            #expect(await refusal(try token(world))?.kind == .retryLater)
            _ = try await world.login()
            _ = try await world.provider.validate(logoutToken: try token(world))
            #expect(world.fake.requests(to: "/jwks").count == 4)
        }
    }

    @Test(
        "an invalid logout token is refused before keys are fetched; unreadable keys lead to status 503, not to a refusal"
    )
    func order() async throws {
        try await FakeWorld.run { world in
            let manager = try world.manager()
            func send(_ change: (inout JSONObject) -> Void = { _ in }) async throws -> BackChannelLogoutResult {
                var claims = LogoutTokenTests.goodClaims
                claims["iss"] = .string(world.fake.origin)
                change(&claims)
                return await manager.backChannelLogout(
                    provider: "fake",
                    body: Array("logout_token=\(try world.fake.forge.token(claims).reveal())".utf8),
                    contentType: "application/x-www-form-urlencoded"
                )
            }
            let changes: [(inout JSONObject) -> Void] = [
                { $0["iss"] = .string("https://other.example") }, { $0["aud"] = .string("client-2") },
                { $0["events"] = nil }, { $0["exp"] = .integer(1) }, { $0["jti"] = nil },
            ]
            for change in changes { #expect(try await send(change).status == 400) }
            #expect(world.fake.requests(to: "/jwks").isEmpty)
            world.fake.replace("/jwks", by: .message(status: 302, headers: [("Location", "/")]))
            let unread = try await send()
            #expect(unread.error?.code == .redirectRefused)
            #expect(unread.status == 503)
            world.fake.replace("/jwks", by: nil)
            #expect(try await send().status == 200)
        }
    }

    @Test("revocation authenticates the client, and revokes the refresh token, or the access token without one")
    func revocation() async throws {
        try await FakeWorld.run({ $0.authentication = .secretPost(Secret("s3cret")) }) { world in
            try await world.provider.revoke(try await world.login())
            #expect(world.fake.paths().allSatisfy { $0 != "/revoke" })
        }
        try await FakeWorld.run { world in
            // Unlike a missing revocation endpoint, an endpoint without https makes `revoke` fail.
            world.fake.change(metadata: { $0["revocation_endpoint"] = .string("http://id.example/revoke") })
            let tokens = try await world.login()
            let error = await #expect(throws: IdentityError.self) { try await world.provider.revoke(tokens) }
            #expect(error?.code == .unsupportedByProvider)
            #expect(error?.kind == .configuration)
        }
        try await FakeWorld.run({ $0.authentication = .secretPost(Secret("s3cret")) }) { world in
            world.fake.change(metadata: { [origin = world.fake.origin] in
                $0["revocation_endpoint"] = .string("\(origin)/revoke")
            })
            world.fake.replace("/revoke", by: .message(status: 200))
            var tokens = try await world.login()
            tokens.refreshToken = Secret("r &1")
            try await world.provider.revoke(tokens)
            tokens.refreshToken = nil
            tokens.accessToken = Secret("a1")
            try await world.provider.revoke(tokens)
            let bodies = world.fake.requests(to: "/revoke").map { String(decoding: $0.body, as: UTF8.self) }
            #expect(
                bodies == [
                    "token=r%20%261&token_type_hint=refresh_token&client_id=client-1&client_secret=s3cret",
                    "token=a1&token_type_hint=access_token&client_id=client-1&client_secret=s3cret",
                ]
            )
        }
    }

    @Test("each response of the revocation endpoint has the expected outcome")
    func revocationResponses() async throws {
        try await FakeWorld.run { world in
            world.fake.change(metadata: { [origin = world.fake.origin] in
                $0["revocation_endpoint"] = .string("\(origin)/revoke")
            })
            let tokens = try await world.login()
            func outcome(_ response: LoopbackResponse, _ tokens: TokenSet) async -> IdentityError? {
                world.fake.replace("/revoke", by: response)
                return await failure { try await world.provider.revoke(tokens) }
            }
            func refusal(_ error: String, _ status: Int = 400) -> LoopbackResponse {
                FakeProvider.json(["error": .string(error)], status: status)
            }
            for status in [200, 204] { #expect(await outcome(.message(status: status), tokens) == nil) }
            let refusals: [(LoopbackResponse, IdentityError.Code, IdentityError.Kind)] = [
                (.message(status: 503), .providerUnavailable, .retryLater),
                (.message(status: 429), .providerUnavailable, .retryLater),
                (refusal("invalid_client", 401), .invalidClient, .configuration),
                (refusal("invalid_request"), .unexpectedResponse, .rejected),
                (.message(status: 302, headers: [("Location", "/")]), .unexpectedResponse, .rejected),
                (.message(status: 404, body: Array("<html>".utf8)), .unexpectedResponse, .rejected),
            ]
            for (response, code, kind) in refusals {
                let error = await outcome(response, tokens)
                #expect(error?.code == code)
                #expect(error?.kind == kind)
                #expect(error?.hint?.contains("Sessions are kept") == false)
            }
            let before = world.fake.requests(to: "/revoke").count
            let unsupported = await outcome(refusal("unsupported_token_type"), tokens)
            #expect(unsupported?.code == .unsupportedByProvider)
            // After the refresh token is refused, the provider tries to revoke the access token.
            let bodies = world.fake.requests(to: "/revoke").dropFirst(before).map {
                String(decoding: $0.body, as: UTF8.self)
            }
            #expect(bodies.count == 2)
            #expect(bodies.last?.contains("token_type_hint=access_token") == true)
            var bare = tokens
            bare.refreshToken = nil
            #expect(await outcome(refusal("unsupported_token_type"), bare) == nil)
        }
    }
}
