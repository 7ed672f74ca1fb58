public import IdentityHTTP
public import IdentityKit
public import ShopifyGraphQL

/// The shop whose Storefront API is called, with version and authentication.
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
    /// The stored carts of sessions are named after this domain. After a change of the domain, sessions do not find the carts that were
    /// stored before.
    public let shopDomain: String
    /// The version of the API.
    public let apiVersion: StorefrontAPIVersion
    /// The app's authentication.
    public let authentication: StorefrontAuthentication
    /// The URL for requests, by default `https://{shopDomain}/api/{version}/graphql.json`.
    public let endpoint: HTTPURL
    /// Whether plain http to 127.0.0.1 and [::1] is permitted, for tests on one machine.
    public let allowsLoopbackHTTP: Bool
    /// The timeout of one request, 15 seconds by default.
    public let timeout: Duration

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - shopDomain: A host name without scheme, port and path.
    ///   - authentication: The app's authentication.
    ///   - apiVersion: The version, 2026-10 by default.
    ///   - endpoint: Another URL than the shop's own, for a proxy or a fake shop.
    ///   - allowsLoopbackHTTP: Whether that URL may be http to a loopback address.
    ///   - timeout: The timeout of one request.
    /// - Throws: `IdentityError` of kind `IdentityError.Kind.configuration` for an invalid domain, an empty token or one that a header
    ///   cannot contain, an invalid version, an endpoint that is not https, or a timeout that is not greater than 0.
    public init(
        shopDomain: String,
        authentication: StorefrontAuthentication,
        apiVersion: StorefrontAPIVersion = .standard,
        endpoint: HTTPURL? = nil,
        allowsLoopbackHTTP: Bool = false,
        timeout: Duration = .seconds(15)
    ) throws(IdentityError) {
        let domain = shopDomain.lowercased()
        let own = try Self.endpoint(at: try Self.url(of: domain), apiVersion)
        try self.init(
            shop: domain,
            authentication: authentication,
            apiVersion: apiVersion,
            endpoint: endpoint ?? own,
            allowsLoopbackHTTP: allowsLoopbackHTTP,
            timeout: timeout
        )
    }

    private init(
        shop: String,
        authentication: StorefrontAuthentication,
        apiVersion: StorefrontAPIVersion,
        endpoint: HTTPURL,
        allowsLoopbackHTTP: Bool,
        timeout: Duration
    ) throws(IdentityError) {
        guard endpoint.isSecure || (allowsLoopbackHTTP && endpoint.isLoopback) else {
            throw Self.invalid(
                "The Storefront endpoint must use https.",
                "Use https. For tests on one machine, set allowsLoopbackHTTP to permit http to 127.0.0.1 and [::1]."
            )
        }
        try Self.check(authentication)
        guard timeout > .zero else {
            throw Self.invalid("The Storefront timeout must be greater than 0.", "Use for example 15 seconds.")
        }
        shopDomain = shop
        self.apiVersion = apiVersion
        self.authentication = authentication
        self.endpoint = endpoint
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
        self.timeout = timeout
    }

    private static func endpoint(
        at origin: HTTPURL,
        _ version: StorefrontAPIVersion
    ) throws(IdentityError) -> HTTPURL {
        guard version.isPathSegment, let url = try? origin.replacing(path: "/api/\(version.rawValue)/graphql.json")
        else {
            throw invalid("The Storefront API version is not valid.", "Use for example 2026-10.")
        }
        return url
    }

    /// Accepts only a host name with a dot.
    ///
    /// The token is sent to this host.
    package static func url(of domain: String) throws(IdentityError) -> HTTPURL {
        let url = try? HTTPURL("https://" + domain)
        guard let url, url.host == domain, url.text == "https://" + domain, domain.contains("."),
            domain.utf8.last.map({ $0 != UInt8(ascii: ".") }) ?? false,
            domain.split(separator: ".").last.map({ !$0.utf8.allSatisfy(ASCII.isDigit) }) ?? false
        else {
            throw invalid(
                "The shop domain is not a host name.",
                "Write it without scheme, port and path, for example example.myshopify.com."
            )
        }
        return url
    }

    private static func check(_ authentication: StorefrontAuthentication) throws(IdentityError) {
        let token: [UInt8]
        switch authentication {
        case .privateToken(let secret): token = secret.revealBytes()
        case .publicToken(let text): token = Array(text.utf8)
        case .tokenless: return
        }
        guard (1...1024).contains(token.count), token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw invalid(
                "\(authentication.name.capitalizedFirst) of the Storefront API is empty, too long, or has characters that no token has.",
                "Copy it from the Headless channel or the app that created it, without quotation marks and line breaks."
            )
        }
    }

    static func invalid(_ message: String, _ hint: String) -> IdentityError {
        IdentityError(
            configuration: message,
            hint: hint,
            reference: "Storefront API reference, authentication"
        )
    }
}

extension StorefrontConfiguration {
    /// Reads the section `storefront` of a configuration file.
    ///
    /// Members: `shopDomain` (required unless there is an `endpoint`, whose host is then the shop's name), `apiVersion`,
    /// `privateToken` (a reference to a secret) or `publicToken` (a text), `endpoint`, `allowsLoopbackHTTP`, `timeout`.
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
                hint: "Set only one of the two, or none."
            )
        case (let secret?, nil): authentication = .privateToken(secret)
        case (nil, let text?): authentication = .publicToken(text)
        case (nil, nil): authentication = .tokenless
        }
        do { try Self.check(authentication) } catch {
            let problem = "is empty, too long, or has characters that no token has"
            throw section.error(privateToken == nil ? "publicToken" : "privateToken", problem, hint: error.hint)
        }
        let apiVersion = version.map(StorefrontAPIVersion.init(rawValue:)) ?? .standard
        guard domain == nil || apiVersion.isPathSegment else {
            throw section.error("apiVersion", "is not a version", hint: "Use for example 2026-10.")
        }
        if domain == nil, let endpoint {
            try self.init(
                shop: endpoint.host,
                authentication: authentication,
                apiVersion: apiVersion,
                endpoint: endpoint,
                allowsLoopbackHTTP: allowsLoopbackHTTP,
                timeout: timeout
            )
            return
        }
        guard let domain else { throw section.error("shopDomain", "is missing") }
        do { _ = try Self.url(of: domain.lowercased()) } catch {
            throw section.error("shopDomain", "is not a host name", hint: error.hint)
        }
        try self.init(
            shopDomain: domain,
            authentication: authentication,
            apiVersion: apiVersion,
            endpoint: endpoint,
            allowsLoopbackHTTP: allowsLoopbackHTTP,
            timeout: timeout
        )
    }
}

extension String {
    fileprivate var capitalizedFirst: String {
        prefix(1).uppercased() + dropFirst()
    }
}
