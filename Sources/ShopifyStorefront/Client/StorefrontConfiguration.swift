public import IdentityHTTP
public import IdentityKit
public import ShopifyGraphQL

/// The configuration of a ``StorefrontClient``: the shop, the version of the API and the app's authentication.
///
/// ```swift
/// let configuration = try StorefrontConfiguration(
///     shopDomain: "example.myshopify.com",
///     authentication: .privateToken(Secret(token))
/// )
/// ```
public struct StorefrontConfiguration: Sendable {
    /// The domain of the shop's API in lower case: `example.myshopify.com` or the primary domain.
    ///
    /// If a configuration file has an `endpoint` and no `shopDomain`, this property is the endpoint's host.
    ///
    /// The stored carts are named after this domain, so after a change of the domain, sessions no longer find their carts.
    public let shopDomain: String
    /// The version of the API, 2026-10 by default.
    public let apiVersion: StorefrontAPIVersion
    /// The app's authentication.
    public let authentication: StorefrontAuthentication
    /// The URL for requests, by default `https://{shopDomain}/api/{version}/graphql.json`.
    public let endpoint: HTTPURL
    /// Whether plain http to loopback addresses such as 127.0.0.1 and [::1] is permitted, for tests on one machine.
    public let allowsLoopbackHTTP: Bool
    /// The timeout of one request, 15 seconds by default.
    public let timeout: Duration

    /// Creates a configuration.
    ///
    /// `shopDomain` is a host name without scheme, port and path. With a nil `endpoint`, requests go to the shop's own URL; set `endpoint`
    /// for a proxy or a fake shop. If `allowsLoopbackHTTP` is true, `endpoint` may use http to a loopback address.
    ///
    /// - Throws: `IdentityError` of kind `IdentityError.Kind.configuration` for an invalid domain, token or version, an endpoint that uses
    ///   neither https nor permitted http, or a timeout that is not greater than 0.
    public init(
        shopDomain: String,
        authentication: StorefrontAuthentication,
        apiVersion: StorefrontAPIVersion = .standard,
        endpoint: HTTPURL? = nil,
        allowsLoopbackHTTP: Bool = false,
        timeout: Duration = .seconds(15)
    ) throws(IdentityError) {
        try self.init(
            domain: shopDomain,
            authentication: authentication,
            apiVersion: apiVersion,
            endpoint: endpoint,
            allowsLoopbackHTTP: allowsLoopbackHTTP,
            timeout: timeout
        ) { Self.invalid("The Storefront configuration's \($0) \($1).", $2) }
    }

    /// Creates a configuration; if `domain` is nil, the endpoint's host is the shop's domain.
    private init(
        domain: String?,
        authentication: StorefrontAuthentication,
        apiVersion: StorefrontAPIVersion,
        endpoint: HTTPURL?,
        allowsLoopbackHTTP: Bool,
        timeout: Duration,
        invalid: (_ member: String, _ problem: String, _ hint: String) -> IdentityError
    ) throws(IdentityError) {
        let hint = "Set shopDomain to a host name without scheme, port and path, for example example.myshopify.com."
        if let domain {
            guard let domain = ShopDomain(domain) else { throw invalid("shopDomain", "is not a host name", hint) }
            let path = "/api/\(apiVersion.rawValue)/graphql.json"
            guard apiVersion.isPathSegment, let own = try? domain.url.replacing(path: path) else {
                throw invalid("apiVersion", "is not a version", "Set apiVersion to a version such as 2026-10.")
            }
            self.endpoint = endpoint ?? own
            shopDomain = domain.name
        } else {
            guard let endpoint else { throw invalid("shopDomain", "is missing", hint) }
            self.endpoint = endpoint
            shopDomain = endpoint.host
        }
        guard self.endpoint.isSecure(orLoopback: allowsLoopbackHTTP) else {
            throw invalid("endpoint", "must use https", IdentityError.httpsHint)
        }
        let (member, token): (String, [UInt8]?) =
            switch authentication {
            case .privateToken(let secret): ("privateToken", secret.revealBytes())
            case .publicToken(let text): ("publicToken", Array(text.utf8))
            case .tokenless: ("", nil)
            }
        guard token.map(Self.isToken) ?? true else {
            throw invalid(
                member,
                "is empty, too long, or contains characters that a token cannot contain",
                "Copy the token from the Headless channel or from the app that created the token. Omit quotation marks and line breaks."
            )
        }
        guard timeout > .zero else {
            throw invalid("timeout", "must be greater than 0", "Set timeout to a time such as 15 seconds.")
        }
        self.apiVersion = apiVersion
        self.authentication = authentication
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
        self.timeout = timeout
    }

    private static func isToken(_ token: [UInt8]) -> Bool {
        (1...1024).contains(token.count) && token.allSatisfy(ASCII.isVisible)
    }

    static func invalid(_ message: String, _ hint: String) -> IdentityError {
        IdentityError(
            configuration: message,
            hint: hint,
            reference: "Storefront API reference"
        )
    }

    var graphQLEndpoint: GraphQLEndpoint {
        GraphQLEndpoint(
            name: "The Storefront API",
            shop: shopDomain,
            url: endpoint,
            version: apiVersion,
            allowsLoopbackHTTP: allowsLoopbackHTTP,
            timeout: timeout,
            access: authentication.name,
            refusalCode: .storefrontRefused,
            advice: GraphQLEndpoint.Advice(
                refused: authentication.hasToken
                    ? "Check that the Storefront token belongs to this shop, is of the configured kind, and was not revoked."
                    : "Configure a private or a public Storefront token of this shop.",
                denied: authentication.hasToken
                    ? "Grant the Storefront token the scopes that the operation needs. Carts need unauthenticated_write_checkouts."
                    : "Configure a Storefront token with the scopes that the operation needs.",
                notFound: "Check shopDomain and apiVersion of StorefrontConfiguration, and its endpoint if one is set.",
                redirected:
                    "If endpoint of StorefrontConfiguration is set, correct endpoint. Otherwise set shopDomain to the domain that "
                    + "responds without a redirect.",
                tooMany: sendsBuyerIP
                    ? "Wait before the next request. Pass the buyer's IP with every call (StorefrontContext.buyerIP)."
                    : "Wait before the next request. On a server, use a private token, and pass the buyer's IP with every call.",
                attack: sendsBuyerIP
                    ? "Pass the buyer's IP with every call (StorefrontContext.buyerIP), and wait before you repeat the request."
                    : "Wait before you repeat the request. On a server, use a private token, and pass the buyer's IP with every call."
            )
        )
    }

    private var sendsBuyerIP: Bool {
        if case .privateToken = authentication { true } else { false }
    }
}

extension StorefrontConfiguration {
    /// Reads the section `storefront` of a configuration file.
    ///
    /// Members: `shopDomain`, `apiVersion`, `privateToken` (a reference to a secret) or `publicToken` (a text), `endpoint`,
    /// `allowsLoopbackHTTP`, `timeout`. Without `privateToken` and `publicToken`, the app has tokenless access. If the section has an
    /// `endpoint`, `shopDomain` is optional, and its default is the endpoint's host.
    ///
    /// - Throws: `IdentityError` that names the member, also for an unknown member.
    public init(_ section: ConfigurationSection) throws(IdentityError) {
        var section = section
        let domain = try section.optionalString("shopDomain")
        let version = try section.optionalString("apiVersion")
        let privateToken = try section.optionalSecret("privateToken")
        let publicToken = try section.optionalString("publicToken")
        let allowsLoopbackHTTP = try section.bool("allowsLoopbackHTTP", default: false)
        let endpoint = try section.optionalURL("endpoint", allowsLoopbackHTTP: allowsLoopbackHTTP)
        let timeout = try section.optionalSeconds("timeout") ?? .seconds(15)
        try section.finish()

        let authentication: StorefrontAuthentication
        switch (privateToken, publicToken) {
        case (_?, _?):
            throw section.error(
                "publicToken",
                "is set together with privateToken",
                hint: "Remove storefront.privateToken or storefront.publicToken."
            )
        case (let secret?, nil): authentication = .privateToken(secret)
        case (nil, let text?): authentication = .publicToken(text)
        case (nil, nil): authentication = .tokenless
        }
        try self.init(
            domain: domain,
            authentication: authentication,
            apiVersion: version.map(StorefrontAPIVersion.init(rawValue:)) ?? .standard,
            endpoint: endpoint,
            allowsLoopbackHTTP: allowsLoopbackHTTP,
            timeout: timeout
        ) { section.error($0, $1, hint: $2) }
    }
}

/// A version of the Storefront API.
public typealias StorefrontAPIVersion = ShopifyAPIVersion
