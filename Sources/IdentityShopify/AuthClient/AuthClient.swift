internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC
internal import Synchronization

/// Shopify's sign-in with the names of Shopify's tutorial "Authenticate checkouts" and of its guide.
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
/// The names are Shopify's, the work is done by ``ShopifyProvider``: it discovers the endpoints, checks `state` and `nonce`, validates
/// the ID token and encodes forms correctly. The client stores its logins in memory, which suits one app on one machine. A server
/// with many buyers uses `SessionManager`.
public final class AuthClient: Sendable {
    /// The shop's domain.
    public let shopDomain: String
    /// The client id.
    public let customerAccountsApiClientId: String
    /// The redirect URI; empty if it contains the shop id and discovery has not given that yet.
    public let customerAccountsApiRedirectUri: String
    /// The shop's Storefront API token, for the app's own use.
    public let storefrontAccessToken: Secret?

    struct State: Sendable {
        var logins = PendingLogins()
        var tokens: TokenSet?
        weak var delegate: (any AuthClientDelegate)?
    }

    let executor: CallbackExecutor
    let state = Mutex(State())
    let refreshes = SingleFlight<[UInt8], TokenSet>()
    private let outcome: Result<ShopifyProvider, IdentityError>
    private let random: any RandomSource

    /// Creates a public client of a shop, as in the tutorial.
    ///
    /// It is a mobile client if the redirect URI has the scheme of Shopify's mobile clients, otherwise a public web client with the
    /// redirect URI's origin. The first call that needs an invalid value throws the error.
    ///
    /// - Parameters:
    ///   - shopDomain: A domain that Shopify serves, best the `myshopify.com` name.
    ///   - clientId: The client id of the Customer Account API client.
    ///   - redirectUri: The callback URI, exactly as registered.
    ///   - storefrontAccessToken: Stored for the app's own use.
    ///   - environment: Transport, clock and random numbers; by default libcurl and those of the system.
    ///   - callbackExecutor: The executor that calls delegate and callbacks.
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

    /// Creates a client for a configured provider.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - storefrontAccessToken: Stored for the app's own use.
    ///   - callbackExecutor: The executor that calls delegate and callbacks.
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
        random = (try? outcome.get())?.environment.random ?? SystemRandom()
    }

    /// The delegate, which is called at the end of each login; a weak reference.
    public var delegate: (any AuthClientDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// The tokens of the latest login or refresh; ``logout(idToken:)`` removes them.
    public var currentTokens: CustomerAccountAccessTokenResponse? {
        state.withLock { $0.tokens }.map { CustomerAccountAccessTokenResponse(tokens: $0) }
    }

    func provider() throws(IdentityError) -> ShopifyProvider { try outcome.get() }

    var now: Date { (try? outcome.get())?.environment.clock.now ?? SystemClock().now }

    // MARK: PKCE

    /// A new PKCE code verifier: 32 random bytes as 43 characters of base64url (RFC 7636 section 4.1).
    ///
    /// It is empty if the system returns no random bytes; every call that takes a verifier refuses an empty one.
    public func generateCodeVerifier() -> String {
        (try? random.bytes(32)).map { Base64URL.encode($0) } ?? ""
    }

    /// The S256 challenge of a verifier, without padding (RFC 7636 section 4.2).
    public func generateCodeChallenge(for codeVerifier: String) -> String {
        (try? PKCE(verifier: codeVerifier).challenge) ?? ""
    }

    // MARK: The authorization URL

    /// Starts a login with a code verifier that the client creates.
    ///
    /// - Parameter options: Options of Shopify's page; see ``ShopifyLoginOptions``.
    /// - Returns: The page to show to the buyer.
    /// - Throws: `IdentityError`.
    public func buildAuthorizationUrl(options: LoginOptions = LoginOptions()) async throws -> String {
        try await buildAuthorizationUrl(codeVerifier: generateCodeVerifier(), options: options)
    }

    /// Starts a login with a code verifier from ``generateCodeVerifier()``.
    ///
    /// - Parameters:
    ///   - codeVerifier: The verifier; only its challenge is in the URL.
    ///   - options: Options of Shopify's page; see ``ShopifyLoginOptions``.
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
                    "The code verifier does not have 43 to 128 unreserved characters.",
                    hint: "Use the result of generateCodeVerifier().",
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
