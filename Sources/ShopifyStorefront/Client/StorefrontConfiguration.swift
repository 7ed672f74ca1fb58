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
    /// - Throws: `IdentityError` of kind `IdentityError.Kind.configuration` for an invalid domain, token or version, an endpoint that is
    ///   not https, or a timeout that is not greater than 0.
    public init(
        shopDomain: String,
        authentication: StorefrontAuthentication,
        apiVersion: StorefrontAPIVersion = .standard,
        endpoint: HTTPURL? = nil,
        allowsLoopbackHTTP: Bool = false,
        timeout: Duration = .seconds(15)
    ) throws(IdentityError) {
        do {
            try self.init(
                domain: shopDomain,
                authentication: authentication,
                apiVersion: apiVersion,
                endpoint: endpoint,
                allowsLoopbackHTTP: allowsLoopbackHTTP,
                timeout: timeout
            )
        } catch {
            throw Self.invalid("The Storefront configuration's \(error.member) \(error.problem).", error.hint)
        }
    }

    /// An invalid member.
    private struct Problem: Error {
        let member: String
        let problem: String
        let hint: String
    }

    /// Without a domain, the endpoint's host is the shop's name.
    private init(
        domain: String?,
        authentication: StorefrontAuthentication,
        apiVersion: StorefrontAPIVersion,
        endpoint: HTTPURL?,
        allowsLoopbackHTTP: Bool,
        timeout: Duration
    ) throws(Problem) {
        let hint = "Write it without scheme, port and path, for example example.myshopify.com."
        if let domain = domain?.lowercased() {
            guard let origin = Self.url(of: domain) else {
                throw Problem(member: "shopDomain", problem: "is not a host name", hint: hint)
            }
            let path = "/api/\(apiVersion.rawValue)/graphql.json"
            guard apiVersion.isPathSegment, let own = try? origin.replacing(path: path) else {
                throw Problem(member: "apiVersion", problem: "is not a version", hint: "Use for example 2026-10.")
            }
            self.endpoint = endpoint ?? own
            shopDomain = domain
        } else {
            guard let endpoint else { throw Problem(member: "shopDomain", problem: "is missing", hint: hint) }
            self.endpoint = endpoint
            shopDomain = endpoint.host
        }
        guard self.endpoint.isSecure || (allowsLoopbackHTTP && self.endpoint.isLoopback) else {
            throw Problem(
                member: "endpoint",
                problem: "must use https",
                hint:
                    "Use https. For tests on one machine, set allowsLoopbackHTTP to permit http to 127.0.0.1 and [::1]."
            )
        }
        try Self.check(authentication)
        guard timeout > .zero else {
            throw Problem(member: "timeout", problem: "must be greater than 0", hint: "Use for example 15 seconds.")
        }
        self.apiVersion = apiVersion
        self.authentication = authentication
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
        self.timeout = timeout
    }

    /// The URL of a host name with a dot; nil for other text.
    ///
    /// The token is sent to this host.
    private static func url(of domain: String) -> HTTPURL? {
        guard let url = try? HTTPURL("https://" + domain), url.host == domain, url.text == "https://" + domain,
            domain.contains("."), domain.utf8.last != UInt8(ascii: "."),
            domain.split(separator: ".").last.map({ !$0.utf8.allSatisfy(ASCII.isDigit) }) ?? false
        else { return nil }
        return url
    }

    private static func check(_ authentication: StorefrontAuthentication) throws(Problem) {
        let (member, token): (String, [UInt8])
        switch authentication {
        case .privateToken(let secret): (member, token) = ("privateToken", secret.revealBytes())
        case .publicToken(let text): (member, token) = ("publicToken", Array(text.utf8))
        case .tokenless: return
        }
        guard (1...1024).contains(token.count), token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Problem(
                member: member,
                problem: "is empty, too long, or has characters that no token has",
                hint:
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
        do {
            try self.init(
                domain: domain,
                authentication: authentication,
                apiVersion: version.map(StorefrontAPIVersion.init(rawValue:)) ?? .standard,
                endpoint: endpoint,
                allowsLoopbackHTTP: allowsLoopbackHTTP,
                timeout: timeout
            )
        } catch {
            throw section.error(error.member, error.problem, hint: error.hint)
        }
    }
}
