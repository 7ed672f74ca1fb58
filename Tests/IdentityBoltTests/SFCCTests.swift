import FoundationEssentials
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Testing

@Suite("Bolt behind SFCC")
struct SFCCTests {
    private static let codePath = "/on/demandware.store/Sites-Shop-Site/default/Login-OAuthMobileBolt"
    private static let tokenPath = "/on/demandware.store/Sites-Shop-Site/default/Login-ExchangeSFCCToken"

    private func provider(
        _ shop: FakeBolt,
        _ change: (inout SFCCConfiguration) -> Void = { _ in }
    ) throws -> SFCCProvider {
        var configuration = SFCCConfiguration(
            name: "sfcc",
            host: String(shop.origin.dropFirst("http://".count)),
            siteID: "Shop"
        )
        configuration.allowsLoopbackHTTP = true
        change(&configuration)
        return try SFCCProvider(configuration, environment: try shop.environment())
    }

    /// A storefront whose controllers answer as most tests want it.
    private func shop(_ token: LoopbackResponse? = nil) async throws -> FakeBolt {
        let shop = try await FakeBolt()
        shop.answer(Self.codePath, .json(["success": .bool(true)]))
        shop.answer(Self.tokenPath, try token ?? .json(["access_token": .string(jwt(shop))]))
        return shop
    }

    private func jwt(_ shop: FakeBolt, _ change: (inout JSONObject) -> Void = { _ in }) throws -> String {
        let now = Int(shop.clock.now.timeIntervalSince1970)
        var claims: JSONObject = [
            "iss": .string("slas/prod/x"), "sub": .string("customer:1"), "exp": .integer(now + 900),
            "email": .string("ada@example.com"), "email_verified": .bool(true),
        ]
        change(&claims)
        return try shop.jwt(claims)
    }

    private func signIn(_ provider: SFCCProvider, code: String = "C0DE") async throws -> TokenSet {
        let attempt = try await provider.authorizationRequest(LoginOptions()).attempt
        let callback = try LoginCallback(url: "/cb?code=\(code)&state=\(attempt.state.reveal())")
        return try await provider.exchange(callback, for: attempt)
    }

    @Test("the two controllers are called once each, and the second gets the cookies of the first")
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
        // Another shopper's login begins without any cookie.
        _ = try await signIn(provider)
        #expect(shop.requests[2].header("cookie") == nil)
    }

    @Test("another login's state is refused before anything is sent")
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

    @Test("without a key set the buyer is a hint: marked issuer, nothing verified, nothing for the cart")
    func unverified() async throws {
        let shop = try await shop()
        let provider = try provider(shop)
        let tokens = try await signIn(provider)
        #expect(tokens.buyer.issuer == shop.origin + "#unverified")
        #expect(tokens.buyer.subject == "customer:1")
        #expect(tokens.buyer.email?.isVerified == false)
        #expect(!SFCCProvider.isVerified(tokens.buyer))
        guard case .none = try await provider.cartClaim(for: tokens) else {
            Issue.record("an unverified buyer reached the cart")
            return
        }
    }

    @Test("with a key set the signature decides, and a verified e-mail address reaches the cart")
    func verified() async throws {
        let shop = try await shop()
        let jwks = try HTTPURL(shop.origin + "/v1/oauth/jwks.json")
        let provider = try provider(shop) {
            $0.endpoints.jwks = jwks
            $0.issuers = ["slas/prod/x"]
        }
        let tokens = try await signIn(provider)
        #expect(tokens.buyer.issuer == "slas/prod/x")
        guard case .contact(let contact) = try await provider.cartClaim(for: tokens) else {
            Issue.record("a verified buyer has no claim")
            return
        }
        #expect(contact.email == "ada@example.com")
        let good = try jwt(shop)
        let parts = good.split(separator: ".")
        let forged = [try jwt(shop) { $0["sub"] = .string("customer:2") }.split(separator: ".")[1]]
        shop.answer(Self.tokenPath, .json(["access_token": .string("\(parts[0]).\(forged[0]).\(parts[2])")]))
        let error = await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
        #expect(error?.code == .idTokenSignature)
        shop.answer(Self.tokenPath, .json(["access_token": .string(try jwt(shop) { $0["iss"] = .string("other") })]))
        let foreign = await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
        #expect(foreign?.code == .idTokenIssuer)
    }

    @Test("with a key set only the configured issuers count, also where a token names none")
    func issuers() async throws {
        let shop = try await shop()
        let jwks = try HTTPURL(shop.origin + "/v1/oauth/jwks.json")
        let provider = try provider(shop) { ($0.endpoints.jwks, $0.issuers) = (jwks, ["slas/prod/x", "a#b"]) }
        #expect(try await signIn(provider).buyer.issuer == "slas/prod/x")
        let wrong: [JSONValue?] = [
            nil, .string(""), .string("slas/prod/y"), .string(shop.origin), .string("a#b"), .integer(1),
        ]
        for issuer in wrong {
            shop.answer(Self.tokenPath, .json(["access_token": .string(try jwt(shop) { $0["iss"] = issuer })]))
            let error = await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
            #expect(error?.code == .idTokenIssuer)
        }
    }

    @Test("with audiences a verified token must name one of them, at the login and at a refresh")
    func audiences() async throws {
        let shop = try await shop()
        let jwks = try HTTPURL(shop.origin + "/v1/oauth/jwks.json")
        let provider = try provider(shop) {
            ($0.endpoints.jwks, $0.issuers, $0.audiences) = (jwks, ["slas/prod/x"], ["site-1", "K"])
        }
        func answer(_ audience: JSONValue?) throws {
            let token = try jwt(shop) { $0["aud"] = audience }
            shop.answer(Self.tokenPath, .json(["access_token": .string(token), "refresh_token": .string("RT")]))
        }
        let wrong: [JSONValue?] = [
            nil, .null, .string(""), .string("site-2"), .array([]), .array([.string("site-2")]), .string("site-1 x"),
            .string("\u{212A}"), .array([.integer(1), .string("site-1")]), .integer(1),
        ]
        for audience in wrong {
            try answer(audience)
            let error = await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
            #expect(error?.code == .idTokenAudience)
            #expect(error?.kind == .rejected)
        }
        for audience: JSONValue in [.string("site-1"), .array([.string("other"), .string("K")])] {
            try answer(audience)
            let tokens = try await signIn(provider)
            _ = try await provider.refresh(tokens)
            try answer(.string("site-2"))
            let error = await #expect(throws: IdentityError.self) { _ = try await provider.refresh(tokens) }
            #expect(error?.code == .idTokenAudience)
        }
    }

    @Test("a key set needs issuers, and issuers and audiences need a key set")
    func namesAndKeys() async throws {
        let shop = try await shop()
        let jwks = try HTTPURL(shop.origin + "/v1/oauth/jwks.json")
        let wrong: [(HTTPURL?, [String]?, [String]?, String)] = [
            (jwks, nil, nil, "`issuers` is missing"), (jwks, nil, ["a"], "`issuers` is missing"),
            (jwks, [], nil, "`issuers`"), (jwks, [""], nil, "`issuers`"), (jwks, ["i"], [], "`audiences`"),
            (jwks, ["i"], [""], "`audiences`"), (nil, ["i"], nil, "no effect"), (nil, nil, ["a"], "no effect"),
        ]
        for (keys, issuers, audiences, message) in wrong {
            let error = #expect(throws: IdentityError.self) {
                _ = try self.provider(shop) {
                    ($0.endpoints.jwks, $0.issuers, $0.audiences) = (keys, issuers, audiences)
                }
            }
            #expect(error?.kind == .configuration)
            #expect(error?.message.contains(message) == true)
        }
    }

    @Test(
        "the token is found wherever related systems put it",
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
        "the token lives as long as the shorter of answer and claim says, half an hour if neither does",
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

    @Test("redirects within the storefront are followed three times with cookies, others never")
    func redirects() async throws {
        let shop = try await shop()
        let provider = try provider(shop)
        func redirect(_ to: String, _ cookie: String) -> LoopbackResponse {
            .message(status: 302, headers: [("Location", to), ("Set-Cookie", "\(cookie); Path=/")])
        }
        shop.answer(Self.codePath, redirect("/a?x=1#part", "a=1"))
        shop.answer("/a", redirect("\(shop.origin)/b", "b=2"))
        shop.answer("/b", redirect("account", "c=3"))
        shop.answer("/account", .message(status: 200, body: Array("<html>".utf8)))
        _ = try await signIn(provider)
        #expect(shop.requests(to: Self.tokenPath).last?.header("cookie") == "a=1; b=2; c=3")
        shop.answer("/account", redirect("/account", "d=4"))
        let tooMany = await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
        #expect(tooMany?.code == .unexpectedResponse)
        let stranger = try await FakeBolt()
        for target in [
            stranger.origin + "/x", "//localhost/x", "https://\(shop.origin.dropFirst(7))/x", "javascript:x",
        ] {
            shop.answer(Self.codePath, redirect(target, "e=5"))
            let error = await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
            #expect(error?.code == .unexpectedResponse, "\(target)")
        }
        #expect(stranger.requests.isEmpty)
        shop.answer(Self.codePath, .json(["success": .bool(true)]))
        shop.answer(Self.tokenPath, .message(status: 307, headers: [("Location", "/account")]))
        await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
    }

    @Test("a page is no answer, neither at the first controller nor at the second")
    func pages() async throws {
        let shop = try await shop()
        let provider = try provider(shop)
        let page = LoopbackResponse.message(
            status: 200,
            headers: [("Content-Type", "text/html")],
            body: Array("<p>".utf8)
        )
        shop.answer(Self.tokenPath, page)
        let second = await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
        #expect(second?.code == .unexpectedResponse && second?.kind == .retryLater)
        shop.answer(Self.codePath, page)
        let first = await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
        #expect(first?.code == .unexpectedResponse && first?.kind == .retryLater)
        #expect(shop.requests(to: Self.tokenPath).count == 1)
    }

    @Test(
        "every form of an error is one, with status 200 too, and repeats neither code nor state",
        arguments: [
            #"{"error":"invalid_grant"}"#, #"{"error":{"code":"x","message":"about C0DE"}}"#, #"{"error":true}"#,
            #"{"errorMessage":"C0DE was used"}"#, #"{"message":"no"}"#, #"{"success":false}"#,
            #"{"fault":{"type":"NotFound","message":"m"}}"#, #"{"status_code":"UNAUTHORIZED","message":"m"}"#,
        ],
        [true, false]
    )
    func errors(body: String, isFirst: Bool) async throws {
        let shop = try await shop()
        let provider = try provider(shop)
        shop.answer(isFirst ? Self.codePath : Self.tokenPath, .message(status: 200, body: Array(body.utf8)))
        let error = try #require(
            await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
        )
        #expect(error.kind == .rejected)
        #expect(error.code == (body.contains("invalid_grant") ? .invalidGrant : .authorizationRefused))
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("C0DE"))
        #expect(shop.requests.count == (isFirst ? 1 : 2))
    }

    @Test("an outage is not repeated: the code may be spent", arguments: [500, 429])
    func outage(status: Int) async throws {
        let shop = try await shop(.message(status: status))
        let error = await #expect(throws: IdentityError.self) { _ = try await signIn(try provider(shop)) }
        #expect(error?.kind == .retryLater)
        #expect(shop.requests.count == 2)
    }

    @Test("a code is not sent again when a used connection breaks without an answer")
    func brokenConnection() async throws {
        let shop = try await shop()
        let provider = try provider(shop)
        _ = try await signIn(provider)
        shop.answer(Self.codePath, .script([.close]))
        let error = await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
        #expect(error?.kind == .retryLater)
        #expect(shop.requests(to: Self.codePath).count == 2)
    }

    @Test(
        "what is no JWT is no token",
        arguments: ["opaque", "a.b.c", "e30.e30", "e30.e30.", "e30.W10.c2ln", "eyJhbGciOiJSUzI1NiJ9.e30=.c2ln"]
    )
    func malformed(_ token: String) async throws {
        let shop = try await shop(.json(["access_token": .string(token)]))
        let error = await #expect(throws: IdentityError.self) { _ = try await signIn(try provider(shop)) }
        #expect(error?.code == .tokenResponseInvalid)
    }

    @Test("a token without subject makes a buyer of its own, and one that has expired none")
    func subjects() async throws {
        let shop = try await shop()
        shop.answer(
            Self.tokenPath,
            .json(["token": .string(try jwt(shop) { $0["sub"] = nil })]),
            .json(["token": .string(try jwt(shop) { $0["exp"] = .integer(1000) })])
        )
        let provider = try provider(shop)
        #expect(try await signIn(provider).buyer.subject.hasPrefix("sha256:"))
        await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
    }

    @Test("a session renews only if the storefront gave a refresh token")
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
        let renewed = try await provider.refresh(tokens)
        #expect(renewed.accessToken.reveal() == newer)
        #expect(renewed.refreshToken?.reveal() == "RT1")
        shop.answer(Self.tokenPath, .json(["token": .string(try jwt(shop) { $0["sub"] = .string("customer:2") })]))
        await #expect(throws: IdentityError.self) { _ = try await provider.refresh(tokens) }
    }

    @Test("PKCE is refused when configured, at the facade too, and a phone's verifier is dropped")
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

    @Test("names, extras and continuation go where the configuration says")
    func configured() async throws {
        let shop = try await FakeBolt()
        shop.answer("/s/Go", .json(["success": .bool(true), "token": .string("CONT")]))
        shop.answer("/s/Ask", .json(["deep": .object(["er": .string(try jwt(shop))])]))
        let provider = try provider(shop) {
            $0.controllerBasePath = "s/"
            $0.codeExchangeAction = "Go"
            $0.tokenExchangeAction = "Ask"
            $0.codeParam = "auth code"
            $0.stateParam = "st"
            $0.extraQuery = [("scope", "openid")]
            $0.extraForm = [("csrf", "1")]
            $0.repeatsCode = true
            $0.continuationField = "token"
            $0.tokenJSONPaths = ["deep.er", "token"]
        }
        let tokens = try await signIn(provider)
        #expect(tokens.buyer.subject == "customer:1")
        #expect(shop.requests[0].queryFields().map(\.0) == ["scope", "auth code", "st"])
        #expect(shop.requests[1].formFields().map(\.0) == ["csrf", "auth code", "st", "token"])
        #expect(shop.requests[1].formFields().last?.1 == "CONT")
    }
}
