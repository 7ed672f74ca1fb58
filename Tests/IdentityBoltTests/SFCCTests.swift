import FoundationEssentials
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import TestDoubles
import Testing

@Suite("Bolt behind SFCC")
struct SFCCTests: SFCCSuite {
    @Test("each of the two controllers is called once, and the second gets the cookies of the first")
    func twoSteps() async throws {
        let shop = try await shop()
        shop.answer(
            Self.codePath,
            .json(
                ["success": .bool(true), "token": .string("not.asked.for")],
                headers: [("Set-Cookie", "dwsid=one; Path=/"), ("Set-Cookie", "dwsecuretoken=two; Path=/; Secure")]
            )
        )
        let provider = try provider(shop)
        let tokens = try await signIn(provider)
        #expect(shop.requests.map(\.path) == [Self.codePath, Self.tokenPath])
        let (first, second) = (shop.requests[0], shop.requests[1])
        #expect(first.method == "GET")
        #expect(first.queryFields().map(\.0) == ["code", "state"])
        #expect(first.queryFields().first?.1 == "C0DE")
        #expect(first.header("accept") == "application/json")
        #expect(first.header("cookie") == nil)
        #expect(second.method == "POST")
        #expect(second.header("cookie") == "dwsid=one; dwsecuretoken=two")
        #expect(second.header("content-type") == "application/x-www-form-urlencoded")
        #expect(second.body.isEmpty)
        #expect(tokens.expiresAt == shop.clock.now + 900)
        #expect(tokens.refreshToken == nil)
        // A login of another buyer begins without cookies.
        _ = try await signIn(provider)
        #expect(shop.requests[2].header("cookie") == nil)
    }

    @Test("a callback with a wrong state is refused before a request is sent")
    func state() async throws {
        let shop = try await shop()
        let provider = try provider(shop)
        let attempt = try await provider.authorizationRequest(LoginOptions()).attempt
        let error = await #expect(throws: IdentityError.self) {
            _ = try await provider.exchange(try LoginCallback(url: "/cb?code=C0DE&state=other678"), for: attempt)
        }
        #expect(error?.code == .stateInvalid)
        #expect(shop.requests.isEmpty)
    }

    @Test("a callback of another issuer is refused before a request is sent; one of Bolt's issuers is accepted")
    func issuer() async throws {
        let shop = try await shop()
        let provider = try provider(shop)
        let attempt = try await provider.authorizationRequest(LoginOptions()).attempt
        func exchange(_ issuer: String) async throws {
            let query = "code=C0DE&state=\(attempt.state.reveal())&iss=\(FormEncoding.escape(issuer))"
            _ = try await provider.exchange(try LoginCallback(url: "/cb?\(query)"), for: attempt)
        }
        for issuer in ["https://evil.example", shop.origin] {
            let error = await #expect(throws: IdentityError.self) { try await exchange(issuer) }
            #expect(error?.code == .responseIssuerMismatch && error?.isAttackSuspected == true)
        }
        #expect(shop.requests.isEmpty)
        try await exchange("https://api.bolt.com")
    }

    @Test(
        "the token is found in the header and in every default member of the response",
        arguments: [
            "header", "access_token", "accessToken", "token", "jwt", "bearerToken", "authToken", "data.access_token",
            "result.jwt",
        ]
    )
    func tokenPlace(_ place: String) async throws {
        let shop = try await shop()
        let token = try jwt(shop)
        let path = place.split(separator: ".").map(String.init)
        var object: JSONObject = [path.last ?? "": .string("Bearer \(token)")]
        if path.count == 2 { object = [path[0]: .object(object)] }
        shop.answer(
            Self.tokenPath,
            place == "header"
                ? .json(["token": .string("not.this.one")], headers: [("Authorization", "bearer \(token)")])
                : .json(object)
        )
        #expect(try await signIn(try provider(shop)).accessToken.reveal() == token)
    }

    @Test(
        "the session's token expires at the earlier of expires_in and exp, or after half an hour if both are missing",
        arguments: [
            (JSONValue.integer(60), Int?.none, 60.0), (.string("1200"), 900, 900), (.null, 900, 900),
            (.null, nil, 1800),
        ]
    )
    func lifetime(expiresIn: JSONValue, exp: Int?, expected: Double) async throws {
        let shop = try await shop()
        let now = Int(shop.clock.now.timeIntervalSince1970)
        let token = try jwt(shop) { $0["exp"] = exp.map { .integer(now + $0) } }
        shop.answer(
            Self.tokenPath,
            .json(["result": .object(["token": .string(token), "expires_in": expiresIn])])
        )
        #expect(try await signIn(try provider(shop)).expiresAt == shop.clock.now + expected)
    }

    @Test(
        "a lifetime that is not positive, or a text with a sign, is refused",
        arguments: [.integer(0), .string("+60")] as [JSONValue]
    )
    func invalidLifetime(_ expiresIn: JSONValue) async throws {
        let shop = try await shop()
        shop.answer(Self.tokenPath, .json(["token": .string(try jwt(shop)), "expires_in": expiresIn]))
        #expect(await failure { try await signIn(try provider(shop)) }?.code == .tokenResponseInvalid)
    }

    @Test(
        "the buyer of a token without subject has a digest as subject, and an expired token and one that is not valid yet are refused"
    )
    func subjects() async throws {
        let shop = try await shop()
        shop.answer(
            Self.tokenPath,
            .json(["token": .string(try jwt(shop) { $0["sub"] = nil })]),
            .json(["token": .string(try jwt(shop) { $0["exp"] = .integer(1000) })]),
            .json([
                "token": .string(try jwt(shop) { $0["nbf"] = .integer(Int(shop.clock.now.timeIntervalSince1970) + 61) })
            ])
        )
        let provider = try provider(shop)
        #expect(try await signIn(provider).buyer.subject.hasPrefix("sha256:"))
        for _ in 0..<2 { await #expect(throws: IdentityError.self) { _ = try await signIn(provider) } }
    }

    @Test("a session can be refreshed only if the storefront gave a refresh token")
    func refresh() async throws {
        let shop = try await shop()
        let provider = try provider(shop)
        let plain = try await signIn(provider)
        let error = await #expect(throws: IdentityError.self) { _ = try await provider.refresh(plain) }
        #expect(error?.code == .notRefreshable)
        #expect(error?.kind == .signInAgain)
        shop.answer(Self.tokenPath, .json(["token": .string(try jwt(shop)), "refresh_token": .string("RT1")]))
        let tokens = try await signIn(provider)
        let newer = try jwt(shop) { $0["jti"] = .string("2") }
        shop.answer(Self.tokenPath, .json(["token": .string(newer)]))
        let refreshed = try await provider.refresh(tokens)
        #expect(refreshed.accessToken.reveal() == newer)
        #expect(refreshed.refreshToken?.reveal() == "RT1")
        var other = tokens
        other.buyer.issuer = "https://other.example" + SFCCProvider.unverifiedIssuerSuffix
        let moved = await failure { try await provider.refresh(other) }
        #expect(moved?.code == .issuerChanged)
        // Without `endpoints.jwks`, the configuration must not have `issuers`.
        #expect(moved?.hint?.contains("issuers") == false)
        // Only a session without a subject may get a token without one.
        for subject in [JSONValue.string("customer:2"), nil] {
            shop.answer(Self.tokenPath, .json(["token": .string(try jwt(shop) { $0["sub"] = subject })]))
            await #expect(throws: IdentityError.self) { _ = try await provider.refresh(tokens) }
        }
    }

    @Test("PKCE is refused in configuration and BoltCheckout, and a phone's verifier is ignored")
    func pkce() async throws {
        let shop = try await shop()
        let error = #expect(throws: IdentityError.self) { _ = try self.provider(shop) { $0.usePkce = true } }
        #expect(error?.kind == .configuration)
        let provider = try provider(shop) { $0.publishableKey = "aaa.bbb.ccc" }
        await #expect(throws: IdentityError.self) {
            _ = try await provider.authorizationRequest(LoginOptions(), usePkce: true)
        }
        let url = try await provider.authorizationRequest(LoginOptions()).url
        #expect(url.text.hasPrefix("https://api.bolt.com/v1/oauth/internal/authorize?client_id=aaa.bbb.ccc&"))
        #expect(!url.text.contains("code_challenge"))
        let verifier = String(repeating: "v", count: 43)
        _ = try await provider.exchange(.completed(authorizationCode: "C0DE", codeVerifier: verifier, state: "s7"))
        #expect(shop.requests.allSatisfy { !($0.target + String(decoding: $0.body, as: UTF8.self)).contains("vvv") })
        await #expect(throws: IdentityError.self) {
            _ = try await provider.exchange(.completed(authorizationCode: "C0DE", codeVerifier: "", state: ""))
        }
    }

    @Test("parameter names, additional fields and the continuation token are sent as configured")
    func configured() async throws {
        let shop = try await FakeBolt()
        shop.answer("/s/Go", .json(["success": .bool(true), "token": .string("CONTINUE-1")]))
        shop.answer("/s/Ask", .json(["deep": .object(["er": .string(try jwt(shop))])]))
        let provider = try provider(shop) {
            $0.controllerBasePath = "s/"
            $0.codeExchangeAction = "Go"
            $0.tokenExchangeAction = "Ask"
            $0.codeParam = "auth code"
            $0.stateParam = "st"
            $0.extraQuery = [("scope", Secret("openid"))]
            $0.extraForm = [("csrf", Secret("1"))]
            $0.repeatsCode = true
            $0.continuationField = "token"
            $0.tokenJSONPaths = ["deep.er", "token"]
        }
        let tokens = try await signIn(provider)
        #expect(tokens.buyer.subject == "customer:1")
        #expect(shop.requests[0].queryFields().map(\.0) == ["scope", "auth code", "st"])
        #expect(shop.requests[1].formFields().map(\.0) == ["csrf", "auth code", "st", "token"])
        #expect(shop.requests[1].formFields().last?.1 == "CONTINUE-1")
        shop.answer(
            "/s/Ask",
            .json(["error": .string("late"), "error_description": .string("CONTINUE-1 has expired")])
        )
        let error = await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
        let description = try #require(error?.providerResponse?.errorDescription)
        #expect(description.contains("has expired") && !description.contains("CONTINUE-1"))
    }

    @Test(
        "a message together with a token is a success, in the response to the code exchange and to the token exchange"
    )
    func messageWithToken() async throws {
        let shop = try await FakeBolt()
        let provider = try provider(shop) { $0.tokenJSONPaths = ["auth.jwt"] }
        shop.answer(
            Self.tokenPath,
            .json([
                "message": .string("Welcome"), "auth": .object(["jwt": .string(try jwt(shop))]),
            ])
        )
        for token in [("auth", JSONValue.object(["jwt": .string("T")])), ("token", .string("T"))] {
            shop.answer(Self.codePath, .json(["message": .string("Welcome"), token.0: token.1]))
            #expect(try await signIn(provider).buyer.subject == "customer:1")
        }
    }
}
