public import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC

/// Bolt as identity provider of a Salesforce Commerce Cloud (SFCC) storefront: the storefront receives the authorization code, exchanges
/// the code at Bolt, and returns a token that the storefront has issued for the buyer.
///
/// ```swift
/// let provider = try SFCCProvider(
///     SFCCConfiguration(name: "bolt-sfcc", host: "shop.example", siteID: "Shop"), environment: environment
/// )
/// ```
///
/// Without a configured key set (`endpoints.jwks`), the SDK cannot verify the token. The buyer's issuer then ends in `#unverified`, and
/// never equals the issuer of a verified buyer. The buyer's e-mail address and phone number count as unverified, and a cart gets no data of
/// the buyer.
public struct SFCCProvider: IdentityProvider, JournaledRefreshing, CartClaimProviding {
    /// The suffix of an unverified buyer's issuer; the issuer of a verified buyer never contains `#`.
    public static let unverifiedIssuerSuffix = "#unverified"

    /// The provider's description for the app: its name, kind, client id and other settings.
    public let descriptor: ProviderDescriptor
    let configuration: SFCCConfiguration
    let resolved: ResolvedSFCCConfiguration
    let httpClient: ProviderHTTPClient
    /// Verifies the storefront's tokens; nil if no key set is configured.
    let verifier: JWTSignatureVerifier?
    private let client: OpenIDClient

    /// Creates a provider; it sends no request.
    ///
    /// - Throws: `IdentityError` of kind `configuration`.
    public init(_ configuration: SFCCConfiguration, environment: IdentityEnvironment) throws {
        self.configuration = configuration
        resolved = try ResolvedSFCCConfiguration(configuration)
        var openID = OpenIDClient.Configuration(
            configuration,
            kind: "bolt-sfcc",
            issuer: resolved.storefront.origin,
            clientID: resolved.publishableKey
        )
        // These issuers are for `iss` in Bolt's callback; `SFCCProvider+TokenResponse.swift` checks `iss` of the storefront's tokens.
        openID.acceptedIssuers = .exactly(
            ResolvedBoltConfiguration.issuers(of: configuration.environment, configuration.endpoints.api)
        )
        openID.clientType = "storefront backend"
        openID.endpoints.authorization = resolved.authorization
        openID.discovery.isEnabled = false
        client = try OpenIDClient(
            openID,
            quirks: LoginPageQuirks(stateLength: configuration.stateLength),
            environment: environment
        )
        var descriptor = client.descriptor
        descriptor.equivalentIssuers = configuration.issuers ?? []
        self.descriptor = descriptor
        httpClient = ProviderHTTPClient(
            environment: environment,
            timeout: configuration.timeout,
            allowsLoopbackHTTP: configuration.allowsLoopbackHTTP,
            configured: [resolved.storefront, resolved.codeExchange, resolved.tokenExchange]
        )
        verifier = configuration.endpoints.jwks.map {
            JWTSignatureVerifier(
                keySetURL: $0,
                algorithms: ["RS256", "PS256", "ES256"],
                provider: configuration.name,
                environment: environment,
                timeout: configuration.timeout,
                allowsLoopbackHTTP: configuration.allowsLoopbackHTTP
            )
        }
    }

    private struct LoginPageQuirks: OpenIDQuirks {
        let settings: OpenIDQuirkSettings

        init(stateLength: Int?) {
            var settings = BoltQuirks.loginPage(stateLength: stateLength)
            settings.usesPKCE = false
            settings.sendsNonce = false
            self.settings = settings
        }
    }

    /// Creates the authorization request of a login, without PKCE.
    public func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest {
        try ResolvedSFCCConfiguration.checkProvable(options)
        return try await client.authorizationRequest(options)
    }

    /// Completes a login: checks the state, then sends the code and the state to the storefront, once.
    public func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
        let code = try await client.authorizationCode(in: callback, for: attempt)
        return try await tokens(for: code, state: attempt.state)
    }

    /// Always nil, because no page is known that ends the storefront's session.
    public func logoutURL(for tokens: TokenSet, returningTo postLogoutRedirectURI: String?) async throws -> HTTPURL? {
        nil
    }

    /// The buyer's contact data if a key set has verified the token and the token contains a verified e-mail address; otherwise `.none`.
    public func cartClaim(for tokens: TokenSet) async throws -> CartClaim {
        guard Self.isVerified(tokens.buyer), tokens.buyer.email?.isVerified == true else { return .none }
        return BoltCartClaim.make(tokens.buyer, orElse: tokens.buyer)
    }

    /// Whether a key set has verified the buyer's token; if not, the buyer's issuer contains `#`.
    public static func isVerified(_ buyer: Buyer) -> Bool {
        !buyer.issuer.utf8.contains(UInt8(ascii: "#"))
    }
}

extension SFCCProvider: BoltAuthorizing {
    /// Creates the authorization request of a login; throws an error if `usePkce` is true.
    public func authorizationRequest(_ options: LoginOptions, usePkce: Bool) async throws -> AuthorizationRequest {
        guard !usePkce else { throw ResolvedSFCCConfiguration.pkceUnsupported }
        return try await authorizationRequest(options)
    }

    /// Checks a callback and returns its authorization code without sending it to the storefront.
    public func authorizationCode(in callback: LoginCallback, for attempt: LoginAttempt) async throws -> Secret {
        try await client.authorizationCode(in: callback, for: attempt)
    }

    /// Exchanges a code from a phone or from ``BoltCheckout``; the code verifier of the result is ignored.
    public func exchange(_ result: BoltLoginResult) async throws -> TokenSet {
        let login = try result.completedLogin()
        guard !login.state.isEmpty else {
            throw IdentityError(
                .rejected,
                .stateInvalid,
                "The result of the login at Bolt has no state.",
                hint: "Pass on the state of Bolt's SDK together with the code: the SFCC storefront needs the state.",
                reference: "RFC 6749 section 10.12"
            )
        }
        return try await tokens(for: login.code, state: login.state)
    }
}
