import FoundationEssentials
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

@Suite("Bolt behind SFCC: trust in tokens")
struct SFCCTrustTests: SFCCSuite {
    @Test("without a key set the buyer's issuer is marked as unverified, and neither contact nor cart claim is trusted")
    func unverified() async throws {
        let shop = try await shop()
        let provider = try provider(shop)
        let tokens = try await signIn(provider)
        #expect(tokens.buyer.issuer == shop.origin + "#unverified")
        #expect(tokens.buyer.subject == "customer:1")
        #expect(tokens.buyer.email?.isVerified == false)
        #expect(!SFCCProvider.isVerified(tokens.buyer))
        guard case .none = try await provider.cartClaim(for: tokens) else {
            Issue.record("The cart got a claim of an unverified buyer.")
            return
        }
    }

    @Test("with a key set the signature is verified, and a verified e-mail address reaches the cart")
    func verified() async throws {
        let shop = try await shop()
        let jwks = try HTTPURL(shop.origin + "/v1/oauth/jwks.json")
        let provider = try provider(shop) {
            $0.endpoints.jwks = jwks
            $0.issuers = ["slas/prod/x"]
        }
        let tokens = try await signIn(provider)
        #expect(tokens.buyer.issuer == "slas/prod/x")
        #expect(try await provider.cartClaim(for: tokens).contact?.email == "ada@example.com")
        let good = try jwt(shop)
        let parts = good.split(separator: ".")
        let forged = [try jwt(shop) { $0["sub"] = .string("customer:2") }.split(separator: ".")[1]]
        shop.answer(Self.tokenPath, .json(["access_token": .string("\(parts[0]).\(forged[0]).\(parts[2])")]))
        #expect(await failure { try await signIn(provider) }?.code == .idTokenSignature)
        shop.answer(Self.tokenPath, .json(["access_token": .string(try jwt(shop) { $0["iss"] = .string("other") })]))
        #expect(await failure { try await signIn(provider) }?.code == .idTokenIssuer)
    }

    @Test("with a key set, a token is refused if its iss is missing, not configured, or contains #")
    func issuers() async throws {
        let shop = try await shop()
        let jwks = try HTTPURL(shop.origin + "/v1/oauth/jwks.json")
        let provider = try provider(shop) { ($0.endpoints.jwks, $0.issuers) = (jwks, ["slas/prod/x"]) }
        #expect(try await signIn(provider).buyer.issuer == "slas/prod/x")
        let wrong: [JSONValue?] = [
            nil, .string(""), .string("slas/prod/y"), .string(shop.origin), .string("a#b"), .integer(1),
        ]
        for issuer in wrong {
            shop.answer(Self.tokenPath, .json(["access_token": .string(try jwt(shop) { $0["iss"] = issuer })]))
            #expect(await failure { try await signIn(provider) }?.code == .idTokenIssuer)
        }
    }

    @Test(
        "a key set with status 404 is a configuration error at a login, and a temporary one after the response to a refresh"
    )
    func missingKeySet() async throws {
        let shop = try await shop()
        let jwks = try HTTPURL(shop.origin + "/missing.json")
        func provider() throws -> SFCCProvider {
            try self.provider(shop) { ($0.endpoints.jwks, $0.issuers) = (jwks, ["slas/prod/x"]) }
        }
        let atLogin = await failure { try await signIn(provider()) }
        #expect(atLogin?.code == .discoveryFailed && atLogin?.kind == .configuration)
        let tokens = TokenSet(
            buyer: Buyer(issuer: "slas/prod/x", subject: "customer:1"),
            accessToken: Secret(try jwt(shop)),
            refreshToken: Secret("RT"),
            issuedAt: shop.clock.now
        )
        // The response can be validated later, when the key set can be fetched.
        let afterRefresh = await failure { try await provider().refresh(tokens) }
        #expect(afterRefresh?.code == .discoveryFailed && afterRefresh?.kind == .retryLater)
    }

    @Test(
        "with a key set, a refresh may return a token of another configured issuer for the same subject; without one it may not"
    )
    func movedIssuer() async throws {
        let shop = try await shop()
        let jwks = try HTTPURL(shop.origin + "/v1/oauth/jwks.json")
        let issuers = ["slas/prod/x", "slas/prod/new"]
        let provider = try provider(shop) { ($0.endpoints.jwks, $0.issuers) = (jwks, issuers) }
        #expect(provider.descriptor.equivalentIssuers == issuers)
        #expect(try self.provider(shop).descriptor.equivalentIssuers.isEmpty)
        var tokens = try await signIn(provider)
        tokens.refreshToken = Secret("RT")
        func refresh(_ change: (inout JSONObject) -> Void) async throws -> Buyer {
            shop.answer(Self.tokenPath, .json(["access_token": .string(try jwt(shop, change))]))
            return try await provider.refresh(tokens).buyer
        }
        #expect(try await refresh { $0["iss"] = .string("slas/prod/new") }.issuer == "slas/prod/x")
        let other = await #expect(throws: IdentityError.self) {
            try await refresh { ($0["iss"], $0["sub"]) = (.string("slas/prod/new"), .string("customer:2")) }
        }
        #expect(other?.isAttackSuspected == true)
        #expect(await failure { try await refresh { $0["iss"] = .string("slas/y") } }?.code == .idTokenIssuer)
    }

    @Test("the refresh token of an unverified buyer is not sent after a key set was configured")
    func newKeySet() async throws {
        let shop = try await shop()
        var tokens = try await signIn(try provider(shop))
        tokens.refreshToken = Secret("RT")
        let jwks = try HTTPURL(shop.origin + "/v1/oauth/jwks.json")
        let verifying = try provider(shop) { ($0.endpoints.jwks, $0.issuers) = (jwks, ["slas/prod/x"]) }
        let old = tokens
        let error = await failure { try await verifying.refresh(old) }
        #expect(error?.code == .issuerChanged && error?.kind == .signInAgain)
        #expect(error?.isAttackSuspected == false)
        #expect(shop.requests(to: Self.tokenPath).count == 1)
    }

    @Test("a verified token must have one of the configured audiences, at the login and at a refresh")
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
            #expect(await failure { try await provider.refresh(tokens) }?.code == .idTokenAudience)
        }
    }

    @Test("a key set needs issuers, and issuers and audiences need a key set")
    func namesAndKeys() async throws {
        let shop = try await shop()
        let jwks = try HTTPURL(shop.origin + "/v1/oauth/jwks.json")
        let wrong: [(HTTPURL?, [String]?, [String]?, String)] = [
            (jwks, nil, nil, "`issuers` is missing"), (jwks, nil, ["a"], "`issuers` is missing"),
            (jwks, [], nil, "`issuers`"), (jwks, [""], nil, "`issuers`"), (jwks, ["i", "i#j"], nil, "contains `#`"),
            (jwks, ["i"], [], "`audiences`"),
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
}
