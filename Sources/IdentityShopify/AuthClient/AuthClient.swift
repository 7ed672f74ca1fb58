internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC
internal import Synchronization

/// Shopify's sign-in under the names of Shopify's own tutorial, "Authenticate checkouts", and of its guide.
///
/// ```swift
/// let client = AuthClient(shopDomain: "your-shop.myshopify.com", clientId: "…", redirectUri: "shop.1.app://callback")
/// let codeVerifier = client.generateCodeVerifier()
/// let url = try await client.buildAuthorizationUrl(codeVerifier: codeVerifier)
/// // … the buyer signs in, the web view is redirected to `callback` …
/// guard let code = client.handleCallback(url: callback) else { return }
/// let token = try await client.requestAccessToken(code: code, codeVerifier: codeVerifier)
/// ```
///
/// The names are Shopify's; what is done is what ``ShopifyProvider`` does: endpoints by discovery, `nonce` and `state` checked,
/// ID token verified, a form properly encoded. It keeps its logins in memory, so it suits one app on one machine. A server
/// that has many buyers uses `SessionManager`.
public final class AuthClient: Sendable {
    /// The shop's domain.
    public let shopDomain: String
    /// The client id.
    public let customerAccountsApiClientId: String
    /// The redirect URI; empty where it follows from the shop's number, which discovery will tell.
    public let customerAccountsApiRedirectUri: String
    /// The token of the Storefront API that goes with the shop, for the app's own use.
    public let storefrontAccessToken: Secret?

    struct State: Sendable {
        var logins = PendingLogins()
        var tokens: TokenSet?
        weak var delegate: (any AuthClientDelegate)?
    }

    let executor: CallbackExecutor
    let state = Mutex(State())
    let renewals = SingleFlight<[UInt8], TokenSet>()
    private let outcome: Result<ShopifyProvider, IdentityError>
    private let random: any RandomSource

    /// A public client of a shop, as the tutorial makes it.
    ///
    /// It is a mobile client where the redirect URI has a scheme of Shopify's own, otherwise a public web client whose origin
    /// is the redirect URI's. What is wrong with the values is thrown by the first call that needs them.
    ///
    /// - Parameters:
    ///   - shopDomain: A domain that Shopify serves, at best the `myshopify.com` name.
    ///   - clientId: The client id of the Customer Account API client.
    ///   - redirectUri: The callback URI, exactly as registered.
    ///   - storefrontAccessToken: Kept for the app's own use.
    ///   - environment: Transport, clock and randomness; libcurl and the system's unless given.
    ///   - callbackExecutor: Where delegate and callbacks are called.
    public convenience init(
        shopDomain: String,
        clientId: String,
        redirectUri: String,
        storefrontAccessToken: String = "",
        environment: IdentityEnvironment? = nil,
        callbackExecutor: CallbackExecutor = .immediate
    ) {
        let isMobile = redirectUri.utf8.starts(with: "shop.".utf8)
        var configuration = ShopifyProvider.Configuration(
            name: "shopify",
            shopDomain: shopDomain,
            clientID: clientId,
            client: isMobile ? .publicMobile : .publicWeb(origin: (try? HTTPURL(redirectUri))?.origin ?? "")
        )
        configuration.redirectURI = redirectUri
        self.init(
            configuration,
            Result {
                let environment = try environment ?? IdentityEnvironment(transport: CurlTransport())
                return try ShopifyProvider(configuration, environment: environment)
            }.mapError { IdentityError.wrapping($0) },
            storefrontAccessToken: storefrontAccessToken.isEmpty ? nil : Secret(storefrontAccessToken),
            executor: callbackExecutor
        )
    }

    /// A client over a provider that is set up in any way.
    ///
    /// - Parameters:
    ///   - provider: Does the work.
    ///   - storefrontAccessToken: Kept for the app's own use.
    ///   - callbackExecutor: Where delegate and callbacks are called.
    public convenience init(
        provider: ShopifyProvider,
        storefrontAccessToken: Secret? = nil,
        callbackExecutor: CallbackExecutor = .immediate
    ) {
        self.init(
            provider.configuration,
            .success(provider),
            storefrontAccessToken: storefrontAccessToken,
            executor: callbackExecutor
        )
    }

    private init(
        _ configuration: ShopifyProvider.Configuration,
        _ outcome: Result<ShopifyProvider, IdentityError>,
        storefrontAccessToken: Secret?,
        executor: CallbackExecutor
    ) {
        shopDomain = configuration.shopDomain ?? ""
        customerAccountsApiClientId = configuration.clientID
        customerAccountsApiRedirectUri =
            (try? outcome.get())?.descriptor.redirectURI ?? configuration.redirectURI ?? ""
        self.storefrontAccessToken = storefrontAccessToken
        self.outcome = outcome
        self.executor = executor
        random = (try? outcome.get())?.client.httpClient.environment.random ?? SystemRandom()
    }

    /// Who is told how logins end; held weakly.
    public var delegate: (any AuthClientDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// The tokens of the latest login or refresh, which ``logout(idToken:)`` forgets.
    public var currentTokens: CustomerAccountAccessTokenResponse? {
        state.withLock { $0.tokens }.map { CustomerAccountAccessTokenResponse(tokens: $0) }
    }

    func provider() throws(IdentityError) -> ShopifyProvider { try outcome.get() }

    var now: Date { (try? outcome.get())?.client.httpClient.environment.clock.now ?? SystemClock().now }

    // MARK: PKCE

    /// A fresh PKCE verifier: 32 random bytes as 43 characters of base64url (RFC 7636 section 4.1).
    ///
    /// Empty if the system gives no random bytes; every call that takes a verifier refuses that one.
    public func generateCodeVerifier() -> String {
        (try? random.bytes(32)).map { Base64URL.encode($0) } ?? ""
    }

    /// The S256 challenge of a verifier, without padding (RFC 7636 section 4.2).
    public func generateCodeChallenge(for codeVerifier: String) -> String {
        (try? PKCE(verifier: codeVerifier).challenge) ?? ""
    }

    // MARK: The authorization URL

    /// Begins a login with a verifier of the client's own.
    ///
    /// - Parameter options: What to ask Shopify's page for; see ``ShopifyLoginOptions``.
    /// - Returns: The page to show to the buyer.
    /// - Throws: `IdentityError`.
    public func buildAuthorizationUrl(options: LoginOptions = LoginOptions()) async throws -> String {
        try await buildAuthorizationUrl(codeVerifier: generateCodeVerifier(), options: options)
    }

    /// Begins a login with a verifier from ``generateCodeVerifier()``.
    ///
    /// - Parameters:
    ///   - codeVerifier: The verifier; only its challenge is in the URL.
    ///   - options: What to ask Shopify's page for; see ``ShopifyLoginOptions``.
    /// - Returns: The page to show to the buyer.
    /// - Throws: `IdentityError`, also for a verifier that is not 43 to 128 unreserved characters.
    public func buildAuthorizationUrl(
        codeVerifier: String,
        options: LoginOptions = LoginOptions()
    ) async throws -> String {
        try await begin(codeVerifier: codeVerifier, options: options).url.text
    }

    func begin(codeVerifier: String, options: LoginOptions) async throws -> AuthorizationRequest {
        try await Correlation.scope {
            guard Self.isVerifier(codeVerifier) else {
                throw IdentityError(
                    .configuration,
                    .configurationInvalid,
                    "The code verifier is not 43 to 128 unreserved characters.",
                    hint: "Take it from generateCodeVerifier().",
                    reference: "RFC 7636 section 4.1"
                )
            }
            let request = try await provider().authorizationRequest(
                options,
                pkce: try PKCE(verifier: codeVerifier)
            )
            state.withLock { $0.logins.add(request.attempt, at: now) }
            return request
        }
    }

    private static func isVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~".utf8.contains(byte)
            }
    }
}
