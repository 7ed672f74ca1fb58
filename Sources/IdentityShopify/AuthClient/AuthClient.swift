internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC
internal import Synchronization

/// A client for Shopify's sign-in, with the names of Shopify's tutorial "Authenticate checkouts" and of its Customer Account guide.
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
/// The client discovers the endpoints, checks `state` and `nonce`, and validates the ID token. Its pending logins and the tokens of one
/// buyer are in memory. A server with many buyers uses `SessionManager` instead.
public final class AuthClient: Sendable {
    /// The shop's domain; empty if the provider is configured without a shop domain.
    public let shopDomain: String
    /// The client id.
    public let customerAccountsApiClientId: String
    /// The redirect URI; empty for a mobile client whose configuration has no redirect URI and no shop id.
    public let customerAccountsApiRedirectUri: String
    /// The shop's public Storefront access token for ``createAuthenticatedCart(variantId:accessToken:)``; nil if no token was passed.
    public let storefrontAccessToken: Secret?

    struct State: Sendable {
        var logins = PendingLogins()
        var tokens: TokenSet? {
            didSet { tokensVersion += 1 }
        }
        var tokensVersion = 0
        var logouts = 0
        var delegate = WeakDelegate()
    }

    let executor: CallbackExecutor
    let tokenStorage: (any AuthTokenStorage)?
    let state = Mutex(State())
    let refreshes = SingleFlight<[UInt8], TokenSet>()
    private let outcome: Result<ShopifyProvider, IdentityError>
    let random: any RandomSource

    /// Creates a public client of a shop, as in Shopify's tutorial.
    ///
    /// The client is a mobile client if the redirect URI starts with `shop.`, otherwise a public web client with the redirect URI's origin.
    /// The initializer does not throw. If a value is invalid, later calls throw the error, for example ``buildAuthorizationUrl(options:)``.
    ///
    /// - Parameters:
    ///   - shopDomain: The shop's domain, preferably its `myshopify.com` name.
    ///   - clientId: The client id of the Customer Account API client.
    ///   - redirectUri: The callback URI, exactly as registered.
    ///   - storefrontAccessToken: The shop's public Storefront access token; needed for carts only.
    ///   - tokenStorage: Where the app stores the buyer's tokens; nil keeps them in memory only.
    ///   - environment: Transport, clock and random numbers; by default libcurl and the system's clock and random numbers.
    ///   - callbackExecutor: Calls the delegate and the callbacks.
    public convenience init(
        shopDomain: String,
        clientId: String,
        redirectUri: String,
        storefrontAccessToken: String = "",
        tokenStorage: (any AuthTokenStorage)? = nil,
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
            storefrontAccessToken: storefrontAccessToken,
            tokenStorage: tokenStorage,
            executor: callbackExecutor
        )
    }

    /// Creates a client for a configured provider.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - storefrontAccessToken: The shop's public Storefront access token; needed for carts only.
    ///   - tokenStorage: Where the app stores the buyer's tokens; nil keeps them in memory only.
    ///   - callbackExecutor: Calls the delegate and the callbacks.
    public convenience init(
        provider: ShopifyProvider,
        storefrontAccessToken: String = "",
        tokenStorage: (any AuthTokenStorage)? = nil,
        callbackExecutor: CallbackExecutor = .immediate
    ) {
        self.init(
            provider.configuration,
            .success(provider),
            storefrontAccessToken: storefrontAccessToken,
            tokenStorage: tokenStorage,
            executor: callbackExecutor
        )
    }

    private init(
        _ configuration: ShopifyProvider.Configuration,
        _ outcome: Result<ShopifyProvider, IdentityError>,
        storefrontAccessToken: String,
        tokenStorage: (any AuthTokenStorage)?,
        executor: CallbackExecutor
    ) {
        shopDomain = configuration.shopDomain ?? ""
        customerAccountsApiClientId = configuration.clientID
        customerAccountsApiRedirectUri =
            (try? outcome.get())?.descriptor.redirectURI ?? configuration.redirectURI ?? ""
        self.storefrontAccessToken = storefrontAccessToken.isEmpty ? nil : Secret(storefrontAccessToken)
        self.tokenStorage = tokenStorage
        self.outcome = outcome
        self.executor = executor
        random = (try? outcome.get())?.environment.random ?? SystemRandom()
    }

    /// The delegate, to which the client reports the end of a login; a weak reference.
    ///
    /// These methods call the delegate: ``startLogin(with:options:)``, ``continueLogin(url:)``, ``exchangeCodeForTokens(code:)`` and
    /// ``exchangeCodeForTokens(params:)``.
    public var delegate: (any AuthWebViewDelegate)? {
        get { state.withLock { $0.delegate }.delegate }
        set {
            let reference = WeakDelegate(delegate: newValue)
            state.withLock { $0.delegate = reference }
        }
    }

    /// The tokens of the latest login or refresh; nil before the first login or refresh, and after ``logout(idToken:)``.
    public var currentTokens: CustomerAccountAccessTokenResponse? {
        state.withLock { $0.tokens }.map { CustomerAccountAccessTokenResponse(tokenSet: $0) }
    }

    /// The ID token of ``currentTokens``, for ``logout(idToken:)``; the name is that of Shopify's guide.
    public func getIdToken() -> String? { currentTokens?.idToken }

    func provider() throws(IdentityError) -> ShopifyProvider { try outcome.get() }

    /// Counts the calls of ``logout(idToken:)``; tokens are not stored if the count has changed since their login or refresh began.
    var logouts: Int { state.withLock { $0.logouts } }

    var now: Date { (try? outcome.get())?.environment.clock.now ?? SystemClock().now }
}
