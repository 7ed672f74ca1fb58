import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentitySandbox
import IdentityShopify
import IdentityTesting
import StorefrontSandbox
import TestDoubles
import Testing

@Suite("The token endpoint of Shopify")
struct TokenEndpointTests {
    @Test("the token requests of every client type have the documented bytes", arguments: SandboxShopifyClient.all)
    func bytes(client: SandboxShopifyClient) async throws {
        var client = client
        if client.secret != nil { client.secret = SandboxShopifyClient.specialSecret }
        let shop = try await Shop(client)
        shop.shopify.register(client)
        let provider = try shop.provider()
        let (callback, attempt) = try await shop.callback(provider)
        let tokens = try await provider.exchange(callback, for: attempt)
        let code = FormEncoding.escape(try callback.value(of: "code")?.reveal() ?? "")
        let redirectURI = FormEncoding.escape(client.redirectURIs.first ?? "")
        let verifier = try #require(attempt.codeVerifier).reveal()
        let exchange = try #require(shop.shopify.requests(to: .token).first)
        #expect(
            exchange.bodyText == "grant_type=authorization_code&client_id=\(client.id)&code=\(code)"
                + "&redirect_uri=\(redirectURI)&code_verifier=\(verifier)"
        )
        try check(exchange, client)
        guard let refreshToken = tokens.refreshToken else { return }
        _ = try await provider.refresh(tokens)
        let refresh = try #require(shop.shopify.requests(to: .token).last)
        #expect(
            refresh.bodyText
                == "grant_type=refresh_token&client_id=\(client.id)&refresh_token=\(refreshToken.reveal())"
        )
        try check(refresh, client)
    }

    private func check(_ request: SandboxRequest, _ client: SandboxShopifyClient) throws {
        #expect(request.method == "POST")
        #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.header("Accept") == "application/json")
        #expect(request.header("User-Agent") == "IdentityKit/0.1")
        #expect(request.header("Origin") == (client.kind == .publicWeb ? "https://app.example" : nil))
        // Written by hand: base64 of "{client id}:{secret}", without form-encoding.
        let credentials = [
            SandboxShopifyClient.Kind.confidential:
                "Basic M2YxYzJhOTAtN2M1NC00ZTJiLTlkMGUtNWExYjZjN2Q4ZTAxOnNocHNzLXNhbmRib3grc2VjcmV0L3dpdGg9c2lnbnMmbW9yZQ=="
        ]
        #expect(request.header("Authorization") == credentials[client.kind])
    }

    @Test("the hint for an unknown client names clientID, and the message names a secret only if the client has one")
    func unknownClient() async throws {
        for client in SandboxShopifyClient.all {
            let shop = try await Shop(client)
            let provider = try shop.provider()
            shop.shopify.planFault(.oauthError("invalid_client", status: 401), on: .token)
            let refusal = await failure { try await shop.login(provider) }
            #expect(refusal?.code == .invalidClient)
            let hint = try #require(refusal?.hint)
            #expect(hint.contains("clientID"))
            #expect(!hint.contains("metadata") && !hint.contains("authenticates with"))
            #expect(refusal?.message.contains("secret") == (client.kind == .confidential))
        }
    }

    struct Failure: Sendable {
        var fault: SandboxFault
        var kind: IdentityError.Kind
        var code: IdentityError.Code

        init(_ fault: SandboxFault, _ kind: IdentityError.Kind, _ code: IdentityError.Code) {
            self.fault = fault
            self.kind = kind
            self.code = code
        }
    }

    /// Failures at Shopify's token endpoint that have the same kind at a login and at a refresh.
    static let expectedFailures = [
        Failure(.redirect(to: "https://shopify.com/", status: 301), .configuration, .redirectRefused),
        Failure(.oauthError("unsupported_grant_type"), .configuration, .unsupportedGrantType),
        Failure(.oauthError("invalid_client", status: 401), .configuration, .invalidClient),
        Failure(.oauthError("unauthorized_client", status: 401), .configuration, .invalidClient),
        Failure(.oauthError("unauthorized_client", status: 403), .configuration, .unauthorizedClient),
        Failure(.shopifyOriginMissing, .configuration, .originRefused),
        Failure(.oauthError("invalid_token", status: 401), .configuration, .originRefused),
        Failure(.oauthError("invalid_token", status: 403), .rejected, .unexpectedResponse),
        Failure(.shopifyUpstreamFailure, .retryLater, .unexpectedResponse),
        Failure(.shopifyAccessDenied, .configuration, .requestBlocked),
        Failure(.tooManyRequests(retryAfter: 7), .retryLater, .providerUnavailable),
        Failure(.htmlPage(status: 500), .retryLater, .providerUnavailable),
        Failure(.oauthError("invalid_grant", status: 503), .retryLater, .providerUnavailable),
        Failure(.htmlPage(status: 200), .retryLater, .unexpectedResponse),
        Failure(.htmlPage(status: 400), .retryLater, .unexpectedResponse),
        Failure(.answer(status: 401, body: "<p>invalid_grant</p>"), .retryLater, .unexpectedResponse),
        Failure(.answer(status: 401), .retryLater, .unexpectedResponse),
        Failure(.oauthError("invalid_client", status: 200), .configuration, .invalidClient),
        Failure(.reset, .retryLater, .providerUnavailable),
    ]

    @Test("each error has its kind and code, and leaves the refresh token valid", arguments: expectedFailures)
    func failureKinds(_ expected: Failure) async throws {
        let shop = try await Shop()
        let provider = try shop.provider()
        let tokens = try await shop.login(provider)
        shop.shopify.planFault(expected.fault, on: .token)
        let refusal = await failure { try await provider.refresh(tokens) }
        #expect(refusal?.kind == expected.kind)
        #expect(refusal?.code == expected.code)
        // Shopify did not execute the request, so the same token is still valid.
        _ = try await provider.refresh(tokens)

        shop.shopify.planFault(expected.fault, on: .token)
        let loginRefusal = await failure { try await shop.login(provider) }
        #expect(loginRefusal?.kind == expected.kind)
        #expect(loginRefusal?.code == expected.code)
    }

    @Test("invalid_grant has kind signInAgain at a refresh and rejected at a login, also with status 200")
    func invalidGrant() async throws {
        let shop = try await Shop()
        let provider = try shop.provider()
        let tokens = try await shop.login(provider)
        for status in [400, 200] {
            shop.shopify.planFault(.oauthError("invalid_grant", status: status), on: .token, times: 2)
            let atRefresh = await failure { try await provider.refresh(tokens) }
            #expect(atRefresh?.kind == .signInAgain)
            #expect(atRefresh?.code == .invalidGrant)
            let atExchange = await failure { try await shop.login(provider) }
            #expect(atExchange?.kind == .rejected)
            #expect(atExchange?.code == .invalidGrant)
        }
    }

    @Test("the error of a refresh has the delay of Shopify's Retry-After")
    func retryAfter() async throws {
        let shop = try await Shop()
        let provider = try shop.provider()
        let tokens = try await shop.login(provider)
        shop.shopify.planFault(.tooManyRequests(retryAfter: 7), on: .token)
        #expect(await failure { try await provider.refresh(tokens) }?.retryAfter == .seconds(7))
    }

    @Test("a refresh that Shopify blocks is refused with kind configuration, which ends no session")
    func blocked() async throws {
        let shop = try await Shop()
        let provider = try shop.provider()
        let tokens = try await shop.login(provider)
        shop.shopify.planFault(.shopifyAccessDenied, on: .token)
        let refusal = await #expect(throws: RefreshRefusal.self) {
            _ = try await provider.requestRefresh(of: tokens, under: .notNeeded)
        }
        #expect(refusal?.kind == .configuration)
        #expect(refusal?.error.code == .requestBlocked)
    }

    @Test("an origin that is not registered has its own error code")
    func origin() async throws {
        let shop = try await Shop(.publicWeb)
        let provider = try shop.provider { $0.client = .publicWeb(origin: "https://other.example") }
        let error = await failure { try await shop.login(provider) }
        #expect(error?.kind == .configuration)
        #expect(error?.code == .originRefused)
    }

    @Test("a refresh returns the new refresh token, or else the old one, and keeps ID token and buyer of the login")
    func refresh() async throws {
        let shop = try await Shop()
        let provider = try shop.provider()
        let tokens = try await shop.login(provider)
        shop.clock.advance(by: .seconds(3000))
        let refreshed = try await provider.refresh(tokens)
        #expect(refreshed.refreshToken?.isEqual(to: try #require(tokens.refreshToken)) == false)
        #expect(refreshed.idToken?.isEqual(to: try #require(tokens.idToken)) == true)
        #expect(refreshed.buyer == tokens.buyer)
        shop.shopify.planFault(.withoutMembers("refresh_token"), on: .token)
        let again = try await provider.refresh(refreshed)
        #expect(again.refreshToken?.isEqual(to: try #require(refreshed.refreshToken)) == true)
    }

    @Test("the login of a client of type app succeeds, and its refresh fails without a request")
    func notRefreshable() async throws {
        let shop = try await Shop(.app)
        let provider = try shop.provider()
        let tokens = try await shop.login(provider)
        shop.shopify.forgetRequests()
        let error = await failure { try await provider.refresh(tokens) }
        #expect(error?.code == .notRefreshable)
        #expect(error?.kind == .signInAgain)
        #expect(shop.shopify.requests(to: .token).isEmpty)
    }
}
