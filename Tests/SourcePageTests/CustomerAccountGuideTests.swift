import Dispatch
import Foundation
import IdentityKit
import IdentitySandbox
import IdentityShopify
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import Synchronization
import Testing

/// The guide's web view: a class of an app with members that change.
private class AuthWebView {
    let client: AuthClient
    let savedState: String
    let codeVerifier: String
    weak var delegate: (any AuthWebViewDelegate)? {
        didSet { client.delegate = delegate }
    }

    init(_ client: AuthClient) {
        self.client = client
        codeVerifier = client.createCodeVerifier()
        savedState = client.randomString(length: 36)
    }

    func page() async throws -> URL {
        let codeChallenge = client.codeChallenge(for: codeVerifier)
        let (authEndpoint, _) = try await client.discoverAuthEndpoints()
        var components = URLComponents(string: authEndpoint)
        components?.queryItems = [
            URLQueryItem(name: "scope", value: "openid email customer-account-api:full"),
            URLQueryItem(name: "client_id", value: client.customerAccountsApiClientId),
            URLQueryItem(name: "response_type", value: "code"),
            URLQueryItem(name: "redirect_uri", value: client.customerAccountsApiRedirectUri),
            URLQueryItem(name: "state", value: savedState),
            URLQueryItem(name: "code_challenge", value: codeChallenge),
            URLQueryItem(name: "code_challenge_method", value: "S256"),
        ]
        return try #require(components?.url)
    }

    /// The parameters of the guide's token request, for a callback with the saved state.
    func tokenParams(of url: URL) -> [String: String]? {
        let queryItems = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems
        guard let state = queryItems?.first(where: { $0.name == "state" })?.value, state == savedState,
            let code = queryItems?.first(where: { $0.name == "code" })?.value
        else { return nil }
        return [
            "client_id": client.customerAccountsApiClientId,
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": client.customerAccountsApiRedirectUri,
            "code_verifier": codeVerifier,
        ]
    }
}

/// The guide's delegate: neither final nor `Sendable`.
private class LoginViewModel: AuthWebViewDelegate {
    private(set) var outcomes: [String] = []

    func loginComplete(token: String) { outcomes.append("complete \(token)") }

    func loginFailed(error: String) { outcomes.append("failed \(error)") }
}

@Suite("The guide Customer Account API Authentication")
struct CustomerAccountGuideTests {
    @Test("a mobile client without a redirect URI has the guide's default", .sample("G1"))
    func configuration() async throws {
        let shop = try await Shop()
        var configuration = ShopifyProvider.Configuration(
            name: "shopify",
            shopDomain: Shop.domain,
            clientID: Shop.clientID,
            client: .publicMobile
        )
        configuration.shopID = Shop.id
        let client = AuthClient(provider: try ShopifyProvider(configuration, environment: shop.environment))
        #expect(client.customerAccountsApiRedirectUri == "shop.\(Shop.id).app://callback")
        #expect(try await client.login(with: shop.buyer()).accessToken.hasPrefix("shcat_"))
    }

    @Test("the guide's names make a URL that Shopify accepts", .sample("G2"))
    func authorizationURL() async throws {
        let shop = try await Shop()
        let webView = AuthWebView(shop.client())
        let callback = try await shop.callback(of: try await webView.page().absoluteString)
        #expect(webView.tokenParams(of: callback)?["code"]?.isEmpty == false)
        #expect(webView.codeVerifier.utf8.count == 43 && webView.savedState.utf8.count == 36)
    }

    @Test("a presenter shows the page, and a completion handler gets one result", .sample("G3"))
    func presentation() async throws {
        let shop = try await Shop()
        let client = shop.client()
        let results = Mutex<[Result<CustomerAccountAccessTokenResponse, IdentityError>]>([])
        await client.login(with: shop.buyer()) { result in results.withLock { $0.append(result) } }.finished()
        await client.login(with: shop.buyer(.close)) { result in results.withLock { $0.append(result) } }.finished()
        let outcomes = results.withLock { $0 }
        #expect(outcomes.count == 2)
        #expect(try outcomes.first?.get().accessToken == client.currentTokens?.accessToken)
        guard case .failure(let error) = outcomes.last else {
            Issue.record("The call did not fail.")
            return
        }
        #expect(error.kind == .cancelled)
    }

    @Test("the guide's token parameters sign in once, and others are refused before a request", .sample("G4"))
    func exchange() async throws {
        let shop = try await Shop()
        let webView = AuthWebView(shop.client())
        let model = LoginViewModel()
        webView.delegate = model
        let callback = try await shop.callback(of: try await webView.page().absoluteString)
        let params = try #require(webView.tokenParams(of: callback))
        #expect(webView.tokenParams(of: try #require(URL(string: Shop.redirectURI + "?code=x&state=y"))) == nil)
        let wrong = [
            ["client_id": "another"], ["grant_type": "refresh_token"], ["redirect_uri": "shop.2.app://callback"],
            ["scope": "openid"], ["code_verifier": "short"],
        ]
        for change in wrong {
            await webView.client.exchangeCodeForTokens(params: params.merging(change) { $1 }).finished()
        }
        #expect(model.outcomes.count == wrong.count)
        #expect(model.outcomes.allSatisfy { $0.hasPrefix("failed ") && $0.contains("configuration_invalid") })
        #expect(shop.sandbox.shopify.requests(to: .token).isEmpty)
        for _ in 0..<2 { await webView.client.exchangeCodeForTokens(params: params).finished() }
        #expect(
            model.outcomes.dropFirst(wrong.count) == ["complete \(webView.client.currentTokens?.accessToken ?? "")"]
        )
    }

    @Test(
        "the guide's token parameters also sign in a client whose redirect URI is known only after discovery",
        .sample("G4")
    )
    func discoveredRedirectURI() async throws {
        let shop = try await Shop()
        let configuration = ShopifyProvider.Configuration(
            name: "shopify",
            shopDomain: Shop.domain,
            clientID: Shop.clientID,
            client: .publicMobile
        )
        let client = AuthClient(provider: try ShopifyProvider(configuration, environment: shop.environment))
        let verifier = client.generateCodeVerifier()
        let page = try await client.buildAuthorizationUrl(codeVerifier: verifier)
        var params = [
            "client_id": Shop.clientID, "grant_type": "authorization_code", "code_verifier": verifier,
            "code": client.handleCallback(url: try await shop.callback(of: page)) ?? "",
        ]
        await client.exchangeCodeForTokens(params: params).finished()
        #expect(client.currentTokens == nil)
        params["redirect_uri"] = Shop.redirectURI
        await client.exchangeCodeForTokens(params: params).finished()
        #expect(client.currentTokens != nil)
    }

    @Test("the token response is decoded from Shopify's JSON, and printing it shows no token", .sample("G5"))
    func response() throws {
        func decode(_ json: String) throws -> CustomerAccountAccessTokenResponse {
            try JSONDecoder().decode(CustomerAccountAccessTokenResponse.self, from: Data(json.utf8))
        }
        let canary = SecretCanary()
        let (access, refresh, id) = (canary.plant("access"), canary.plant("refresh"), canary.plant("id"))
        let full = try decode(
            #"{"access_token":"\#(access)","expires_in":3600,"refresh_token":"\#(refresh)","id_token":"\#(id)","token_type":"bearer"}"#
        )
        #expect((full.accessToken, full.refreshToken, full.idToken) == (access, refresh, id))
        #expect(full.expiresIn == 3600 && full.tokenType == "bearer")
        #expect(canary.findings(in: full).isEmpty && canary.findings(in: [full]).isEmpty)
        #expect(throws: IdentityError.self) { try full.tokens }
        // Shopify's reference page lists no token_type, and clients of type app get no refresh token.
        let least = try decode(#"{"access_token":"\#(access)","expires_in":60}"#)
        #expect(least.refreshToken == nil && least.idToken == nil && least.tokenType == "Bearer")
        for bad in [
            "{}", "[]", #"{"access_token":"a"}"#, #"{"access_token":"","expires_in":60}"#,
            #"{"access_token":"a","expires_in":0}"#, #"{"access_token":"a","expires_in":"60"}"#,
            #"{"access_token":7,"expires_in":60}"#, #"{"error":"invalid_grant"}"#,
        ] {
            #expect(throws: (any Error).self, "\(bad)") { try decode(bad) }
        }
    }

    @Test("a class that is neither final nor Sendable is called on its own queue, and held weakly", .sample("G6"))
    func delegate() async throws {
        let shop = try await Shop()
        let queue = DispatchQueue(label: "login-view-model")
        let client = shop.client(callbackExecutor: .queue(queue))
        weak var gone: LoginViewModel?
        do {
            let model = LoginViewModel()
            gone = model
            client.delegate = model
            await client.startLogin(with: shop.buyer()).finished()
            await client.startLogin(with: shop.buyer(.deny)).finished()
            let outcomes = queue.sync { model.outcomes }
            #expect(outcomes.count == 2 && outcomes.first?.hasPrefix("complete shcat_") == true)
            #expect(outcomes.last?.contains("access_denied") == true)
        }
        queue.sync {}
        #expect(gone == nil && client.delegate == nil)
    }

    @Test("the guide's refresh calls back once with a token, and later with an error", .sample("G7"))
    func refresh() async throws {
        let shop = try await Shop()
        let refreshToken = try #require(try await shop.client().login(with: shop.buyer()).refreshToken)
        // The app was started anew and has the refresh token from its storage.
        let client = shop.client()
        func refresh() async -> (token: String?, error: String?) {
            await withCheckedContinuation { continuation in
                client.refreshAccessToken(refreshToken: refreshToken) { token, error in
                    continuation.resume(returning: (token, error))
                }
            }
        }
        let first = await refresh()
        #expect(first.token?.hasPrefix("shcat_") == true && first.error == nil)
        #expect(client.currentTokens?.refreshToken != refreshToken)
        let second = await refresh()
        #expect(second.token == nil && second.error?.contains("invalid_grant") == true)
    }

    @Test("a refresh response is decoded without the ID token, and its new refresh token is kept", .sample("G8"))
    func refreshResponse() async throws {
        let json = #"{"access_token":"shcat_2","expires_in":3600,"refresh_token":"shcrt_2"}"#
        let decoded = try JSONDecoder().decode(RefreshedTokenResponse.self, from: Data(json.utf8))
        #expect((decoded.accessToken, decoded.refreshToken, decoded.expiresIn) == ("shcat_2", "shcrt_2", 3600))
        let shop = try await Shop()
        let client = shop.client()
        let login = try await client.login(with: shop.buyer())
        let refreshed: RefreshedTokenResponse = try await client.refreshAccessToken(
            refreshToken: try #require(login.refreshToken)
        )
        #expect(refreshed.refreshToken != login.refreshToken && refreshed.idToken == login.idToken)
        #expect(client.currentTokens?.refreshToken == refreshed.refreshToken)
        #expect(try refreshed.tokens.buyer.subject == login.tokens.buyer.subject)
    }

    @Test("logout with the client's ID token clears it, and a refresh that ends later restores nothing", .sample("G9"))
    func logout() async throws {
        let shop = try await Shop()
        let customerAccountClient = shop.client()
        #expect(customerAccountClient.getIdToken() == nil)
        let tokens = try await customerAccountClient.login(with: shop.buyer())
        let idToken = try #require(customerAccountClient.getIdToken())
        let refreshToken = try #require(tokens.refreshToken)
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let (permissions, mayAnswer) = AsyncStream<Void>.makeStream()
        let waiting = SandboxFault.before {
            arrived.finish()
            for await _ in permissions {}
        }
        shop.sandbox.shopify.planFault(waiting, on: .token)
        async let late = customerAccountClient.refreshAccessToken(refreshToken: refreshToken)
        for await _ in arrivals {}
        let (success, error) = await withCheckedContinuation { continuation in
            customerAccountClient.logout(idToken: idToken) { success, error in
                continuation.resume(returning: (success, error))
            }
        }
        #expect(success && error == nil)
        mayAnswer.finish()
        #expect(try await late.accessToken.hasPrefix("shcat_"))
        #expect(customerAccountClient.getIdToken() == nil && customerAccountClient.currentTokens == nil)
    }
}
