internal import IdentityCrypto
internal import IdentityHTTP
public import IdentityKit

/// A client of one OpenID provider: authorization request, code exchange, ID token, refresh, logout.
///
/// ``OpenIDProvider`` is a provider that only needs this client and a configuration. ``OpenIDQuirks`` describe where a provider differs
/// from the standards. A provider that needs other code is a separate type that conforms to ``OpenIDClientProvider``; see
/// `Documentation/Extending/ProviderOfYourOwn.md`. The ID token of a login is always validated: signature, issuer, audience, times,
/// `nonce` if one was sent, and `at_hash` if present.
///
/// ```swift
/// let client = try OpenIDClient(configuration, quirks: ExampleQuirks(), environment: environment)
/// let request = try await client.authorizationRequest(LoginOptions())   // show request.url to the buyer
/// let tokens = try await client.exchange(callback, for: request.attempt)
/// ```
///
/// Any task may use a client at any time. All references to one client share the fetched metadata and keys.
public final class OpenIDClient: Sendable {
    /// The provider's description for the app: its name, kind, client id and other settings.
    public let descriptor: ProviderDescriptor
    /// The client's configuration.
    public let configuration: Configuration
    let quirks: any OpenIDQuirks
    let settings: OpenIDQuirkSettings
    /// The issuers that metadata, callbacks and ID tokens may name.
    let issuers: IssuerPolicy
    /// The signature algorithms to accept; nil accepts the algorithms that the metadata list.
    let algorithms: [SignatureAlgorithm]?
    let discovery: DiscoverySource
    let httpClient: ProviderHTTPClient
    let keySource: KeySetSource
    let dpopNonces = DPoPNonceCache()
    /// The encoded parameters that all authorization requests with the configured scopes and redirect URI have in common.
    let fixedFields: [UInt8]

    /// Creates a client; no request is sent yet.
    ///
    /// If `quirks` is nil, the client uses the quirks of the configuration.
    ///
    /// - Throws: `IdentityError` of kind `configuration`.
    public init(
        _ configuration: Configuration,
        quirks: (any OpenIDQuirks)? = nil,
        environment: IdentityEnvironment
    ) throws(IdentityError) {
        let discoveryURL = try Self.discoveryURL(configuration)
        if let redirectURI = configuration.redirectURI {
            try RedirectURI.check(redirectURI, ofProvider: configuration.name)
        }
        if let address = configuration.postLogoutRedirectURI {
            try RedirectURI.check(address, ofProvider: configuration.name, member: "postLogoutRedirectURI")
        }
        algorithms = try Self.algorithms(configuration)
        let quirks = quirks ?? configuration.quirks ?? StandardQuirks()
        self.configuration = configuration
        fixedFields = FormEncoding.encode(
            Self.fixedFields(configuration, scopes: configuration.scopes, redirectURI: configuration.redirectURI)
        )
        self.quirks = quirks
        settings = quirks.settings
        try settings.checkState(ofProvider: configuration.name)
        if settings.issuerTemplate != nil, case .privateKeyJWT(_, audience: .issuer) = configuration.authentication {
            throw .invalidMember(
                "clientAssertionAudience",
                ofProvider: configuration.name,
                "must be tokenEndpoint, because the provider has a different issuer for each tenant",
                hint: "Set clientAssertionAudience to tokenEndpoint in the provider's configuration.",
                reference: "RFC 7523 section 3"
            )
        }
        var issuers = configuration.acceptedIssuers ?? .exactly([configuration.issuer])
        // If each tenant has its own issuer, the same `sub` at two tenants names two people. So each issuer counts separately.
        if settings.issuerTemplate != nil { issuers.equivalents = [] }
        self.issuers = issuers
        let endpoints = configuration.endpoints
        httpClient = ProviderHTTPClient(
            environment: environment,
            timeout: configuration.timeout,
            allowsLoopbackHTTP: configuration.allowsLoopbackHTTP,
            configured: [
                try? HTTPURL(configuration.issuer), discoveryURL, endpoints.authorization, endpoints.token,
                endpoints.jwks, endpoints.userInfo, endpoints.pushedAuthorization, endpoints.revocation,
                endpoints.deviceAuthorization,
            ]
        )
        var source = DiscoverySource.Configuration(
            discoveryURL: discoveryURL,
            issuers: issuers,
            configured: endpoints.metadata(issuer: configuration.issuer)
        )
        source.provider = configuration.name
        source.discovery = configuration.discovery
        source.addressMember =
            endpoints.discovery == nil
            ? configuration.issuerMembers.joined(separator: " and ")
            : configuration.discovery.addressMember ?? "endpoints.discovery"
        source.issuerMembers = configuration.issuerMembers.filter { $0 != "issuers" } + ["issuers"]
        discovery = DiscoverySource(source, httpClient: httpClient)
        keySource = KeySetSource(httpClient: httpClient, provider: configuration.name)
        try configuration.checkTimeoutAndResources()
        descriptor = ProviderDescriptor(
            name: configuration.name,
            kind: configuration.kind,
            displayName: configuration.displayName,
            clientID: configuration.clientID,
            redirectURI: configuration.redirectURI,
            postLogoutRedirectURI: configuration.postLogoutRedirectURI,
            resources: configuration.resources,
            tenant: configuration.tenant,
            clientType: configuration.clientType ?? configuration.authentication.name,
            responseMode: configuration.responseMode,
            timeout: configuration.timeout,
            equivalentIssuers: issuers.equivalents
        )
    }

    /// The provider's metadata: the configured endpoints, and the other members from discovery.
    ///
    /// Fetched metadata are used for an hour. During an outage of the provider, the old metadata are used longer. After the SDK has refused
    /// a newer document, the old metadata are used for up to two days.
    ///
    /// - Throws: `IdentityError`.
    public func metadata() async throws -> ProviderMetadata {
        try await discovery.current().metadata
    }

    /// The provider's metadata if they are in memory and may be used without a request.
    package var metadataInMemory: ProviderMetadata? { discovery.inMemory }

    /// The number of the provider's supported keys, which are fetched unless they are in memory; nil if no URL of a key set is known.
    package func keyCount() async throws -> Int? {
        guard let url = try await metadata().keySetURL else { return nil }
        return try await keySource.keys(at: url).keys.count
    }

    private static func algorithms(_ configuration: Configuration) throws(IdentityError) -> [SignatureAlgorithm]? {
        guard let names = configuration.algorithms else { return nil }
        let known = names.compactMap { SignatureAlgorithm(name: $0) }
        guard known.count == names.count else {
            throw IdentityError.invalidMember(
                "algorithms",
                ofProvider: configuration.name,
                "contains an algorithm that the SDK does not accept for ID tokens",
                hint: "Use one or more of \(SignatureAlgorithm.allCases.flatMap(\.names).joined(separator: ", ")).",
                reference: "RFC 7518 section 3.1"
            )
        }
        return known
    }

    static func missing(_ endpoint: ProviderEndpoint) -> IdentityError {
        let otherwise =
            switch endpoint {
            case .pushedAuthorization:
                " Otherwise set pushedAuthorization to false. If the metadata require pushed requests, ask the provider for the endpoint."
            case .deviceAuthorization: " Otherwise use a login in a browser: the provider has no device login."
            case .userInfo: " Otherwise use the claims of the ID token."
            default: ""
            }
        return IdentityError(
            unsupported:
                "The URL of the \(endpoint.name) is missing: the configuration does not set it, and the provider's metadata "
                + "have no valid URL or are not used.",
            hint:
                "If the provider documents this URL, set \(endpoint.member) in the configuration to this URL.\(otherwise) "
                + "If discovery returned another provider's metadata, correct the member that the discovery URL comes from, for example "
                + "issuer or preset.",
            reference: "OpenID Connect Discovery 1.0 section 3"
        )
    }

    static func scopesWithoutOpenID(ofProvider name: String) -> IdentityError {
        IdentityError.invalidMember(
            "scopes",
            ofProvider: name,
            "does not contain openid",
            hint: "Add openid to scopes. Without openid, the provider may send no ID token.",
            reference: "OpenID Connect Core section 3.1.2.1"
        )
    }

    static var scopesWithoutOpenID: IdentityError {
        IdentityError(
            configuration: "The scopes do not contain openid.",
            hint:
                "Add openid to scopes in the provider's configuration, or to LoginOptions.scopes if the app sets them. Without openid, "
                + "the provider may send no ID token.",
            reference: "OpenID Connect Core section 3.1.2.1"
        )
    }
}

private struct StandardQuirks: OpenIDQuirks {}
