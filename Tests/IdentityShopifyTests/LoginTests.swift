import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentitySandbox
import IdentityShopify
import IdentityTesting
import StorefrontSandbox
import TestDoubles
import Testing

@Suite("A login at Shopify")
struct LoginTests {
    @Test(
        "every client type signs a buyer in with the shop's domain, for both forms of endpoints",
        arguments: SandboxShopifyClient.all,
        [SandboxShopifyConfiguration.EndpointShape.platform, .accountDomain]
    )
    func login(client: SandboxShopifyClient, shape: SandboxShopifyConfiguration.EndpointShape) async throws {
        let shop = try await Shop(client) { $0.endpointShape = shape }
        let tokens = try await shop.login(try shop.provider())
        #expect(tokens.buyer.issuer == Shop.issuer)
        #expect(tokens.buyer.email == Buyer.Contact("ada@example.com", isVerified: true))
        #expect((tokens.refreshToken == nil) == (client.kind == .app))
        #expect(tokens.expiresAt == shop.clock.now + 3600)
        #expect(tokens.isGranted("customer-account-api:full"))
    }

    @Test(
        "Shopify's provider passes the conformance suite of providers",
        arguments: ProviderConformance.cases,
        [SandboxShopifyClient.confidential, .app]
    )
    func conformance(_ testCase: ProviderConformance.Case, client: SandboxShopifyClient) async throws {
        let shop = try await Shop(client)
        try await testCase.run {
            ProviderConformance.Subject(
                provider: try shop.provider(),
                presenter: SandboxBuyer(),
                isRefreshable: client.kind != .app
            )
        }
    }

    @Test("the authorization URL has the documented parameters only")
    func authorizationURL() async throws {
        let shop = try await Shop(.publicMobile)
        let options = LoginOptions.shopify {
            $0.locale = "fr-CA"
            $0.regionCountry = "CA"
            $0.loginHint = "ada+shop@example.com"
            $0.submitsLoginHint = true
            $0.signInMethod = "provider:google"
            $0.isSilent = true
        }
        let request = try await shop.provider().authorizationRequest(options)
        let query = LoopbackRequest(method: "GET", target: "/?" + (request.url.query ?? "")).queryFields()
        let fields = Dictionary(query) { first, _ in first }
        #expect(query.count == fields.count)
        #expect(
            Set(fields.keys) == [
                "client_id", "scope", "response_type", "redirect_uri", "state", "nonce", "code_challenge",
                "code_challenge_method", "locale", "region_country", "login_hint", "login_hint_mode", "acr_values",
                "prompt",
            ]
        )
        #expect(fields["scope"] == "openid email customer-account-api:full")
        #expect(fields["redirect_uri"] == "shop.82920341806.app://callback")
        #expect(fields["code_challenge_method"] == "S256")
        #expect(fields["login_hint"] == "ada+shop@example.com")
        #expect(fields["login_hint_mode"] == "submit")
        #expect(fields["acr_values"] == "provider:google")
        #expect(fields["prompt"] == "none")
        // A form decoder reads a plus sign as a space.
        #expect(request.url.text.contains("ada%2Bshop%40example.com"))
    }

    @Test("a requested sign-in method does not fail the login, although Shopify's ID token has no acr")
    func signInMethod() async throws {
        let shop = try await Shop()
        let provider = try shop.provider()
        let options = LoginOptions.shopify { $0.signInMethod = "provider:google" }
        let (callback, attempt) = try await shop.callback(provider, options)
        _ = try await provider.exchange(callback, for: attempt)
    }

    @Test("a mobile client without redirect URI uses Shopify's default with the discovered shop id")
    func defaultRedirect() async throws {
        let shop = try await Shop(.publicMobile)
        let provider = try shop.provider { $0.redirectURI = nil }
        let attempt = try await provider.authorizationRequest(LoginOptions()).attempt
        #expect(attempt.redirectURI == "shop.82920341806.app://callback")
        #expect(
            try shop.provider { ($0.redirectURI, $0.shopID) = (nil, "82920341806") }.descriptor.redirectURI
                == "shop.82920341806.app://callback"
        )
    }

    @Test(
        "a failed silent login has the code login_required, whether Shopify reports it as error or as code",
        arguments: [SandboxShopifyConfiguration.SilentLoginRefusal.error, .code]
    )
    func silentLogin(refusal: SandboxShopifyConfiguration.SilentLoginRefusal) async throws {
        let shop = try await Shop { $0.silentLoginRefusal = refusal }
        let provider = try shop.provider()
        let (callback, attempt) = try await shop.callback(provider, .shopify { $0.isSilent = true })
        let error = await failure { try await provider.exchange(callback, for: attempt) }
        #expect(error?.code == .loginRequired)
        #expect(error?.kind == .signInAgain)
        #expect(shop.shopify.requests(to: .token).isEmpty)
    }

    @Test("a silent login that Shopify answers with 406 gets no callback, and its attempt expires")
    func silentLoginWithoutCallback() async throws {
        let shop = try await Shop { $0.silentLoginRefusal = .notAcceptable }
        let provider = try shop.provider()
        let request = try await provider.authorizationRequest(.shopify { $0.isSilent = true })
        await #expect(throws: SandboxBuyerError.self) {
            _ = try await SandboxBuyer().login(at: request.url.text, redirectURI: request.attempt.redirectURI)
        }
        shop.clock.advance(by: .seconds(601))
        let late = try LoginCallback(url: "/callback?error=login_required&state=\(request.attempt.state.reveal())")
        let error = await failure { try await provider.exchange(late, for: request.attempt) }
        #expect(error?.code == .attemptExpired)
    }

    @Test(
        "an invalid ID token or token response fails the login",
        arguments: [
            (SandboxFault.claim("nonce", .string("another")), IdentityError.Code.idTokenNonce),
            (.claim("nonce", nil), .idTokenNonce),
            (.claim("iss", .string("https://shopify.com/authentication/1")), .idTokenIssuer),
            (.claim("aud", .string("another-client")), .idTokenAudience),
            (.claim("sub", .string("")), .idTokenSubject),
            (.shiftClaim("exp", by: -7200), .idTokenTime),
            (.signature(.corrupted), .idTokenSignature),
            (.signature(.absent), .idTokenMalformed),
            (.signature(.hmacWithPublicKey), .idTokenAlgorithm),
            (.withoutMembers("id_token"), .idTokenMissing),
            (.withoutMembers("expires_in"), .tokenResponseInvalid),
            (.member("access_token", .string("")), .tokenResponseInvalid),
        ]
    )
    func badIDToken(_ bad: SandboxFault, _ code: IdentityError.Code) async throws {
        let shop = try await Shop()
        shop.shopify.planFault(bad, on: .token)
        let error = await failure { try await shop.login(try shop.provider()) }
        #expect(error?.kind == .rejected)
        #expect(error?.code == code || (code == .idTokenMalformed && error?.code == .idTokenAlgorithm))
    }

    @Test("a token response is valid without type, scope and refresh token, and with a numeric subject")
    func leniency() async throws {
        let shop = try await Shop()
        shop.shopify.planFault(
            .withoutMembers("token_type", "scope", "refresh_token").and(.numericSubject),
            on: .token
        )
        let tokens = try await shop.login(try shop.provider())
        #expect(tokens.refreshToken == nil)
        #expect(tokens.scopes == ["openid", "email", "customer-account-api:full"])
        #expect(Int(tokens.buyer.subject) != nil)
    }

    @Test("a logout URL has only ID token and registered URI, and needs an ID token")
    func logoutURL() async throws {
        let shop = try await Shop()
        let provider = try shop.provider()
        var tokens = try await shop.login(provider)
        let url = try #require(
            try await provider.logoutURL(for: tokens, returningTo: "https://app.example/signed-out?a=1&b=2")
        )
        let query = LoopbackRequest(method: "GET", target: "/?" + (url.query ?? "")).queryFields()
        #expect(query.map(\.0) == ["id_token_hint", "post_logout_redirect_uri"])
        #expect(query.first?.1 == tokens.idToken?.reveal())
        #expect(query.last?.1 == "https://app.example/signed-out?a=1&b=2")
        var other = tokens
        other.buyer.issuer = "https://shopify.com/authentication/99"
        #expect(try await provider.logoutURL(for: other, returningTo: nil) == nil)
        tokens.idToken = nil
        #expect(try await provider.logoutURL(for: tokens, returningTo: nil) == nil)
    }

    @Test("a cart's claim is the access token with its expiry and the shop's issuer")
    func cartClaim() async throws {
        let shop = try await Shop()
        let provider = try shop.provider()
        let tokens = try await shop.login(provider)
        guard case .customer(let claim) = try await provider.cartClaim(for: tokens) else {
            Issue.record("The cart claim is not a customer token.")
            return
        }
        #expect(claim.token.isEqual(to: tokens.accessToken))
        #expect(claim.expiresAt == tokens.expiresAt)
        #expect(claim.issuer == Shop.issuer)
    }
}
