public import IdentityHTTP
public import IdentityKit
public import ShopifyGraphQL

/// The shop whose Customer Account API is called, the API's version and the settings of requests.
public struct CustomerAccountConfiguration: Sendable {
    /// The domain at which the API's URL is discovered: `example.myshopify.com` or the primary domain.
    public let shopDomain: String
    /// The version of the API, 2026-10 by default.
    public let apiVersion: ShopifyAPIVersion
    /// The https origin that Shopify requires in the requests of a public web client; nil for other clients.
    public let origin: String?
    /// The URL for requests; with nil, the client discovers the URL.
    public let endpoint: HTTPURL?
    /// Whether plain http to loopback addresses such as 127.0.0.1 and [::1] is permitted, for tests on one machine.
    public let allowsLoopbackHTTP: Bool
    /// The timeout of one request, by default 15 seconds.
    public let timeout: Duration
    let discovery: HTTPURL
    let hosts: AllowedHosts

    /// Creates a configuration.
    ///
    /// `shopDomain` is a host name without scheme, port and path. With `allowsLoopbackHTTP`, `shopDomain` may also be a loopback address,
    /// with or without a port, and `endpoint` and `origin` may use http to a loopback address.
    ///
    /// `endpointHosts` are the hosts that a discovered URL may have, and to which the request for the discovery document may be redirected:
    /// by default `shopify.com`, the shop domain and its subdomains. A host in your list does not include its subdomains.
    ///
    /// - Throws: `IdentityError` of kind `IdentityError.Kind.configuration` for an invalid domain, version, origin, host or timeout, or
    ///   an endpoint that uses neither https nor permitted http.
    public init(
        shopDomain: String,
        apiVersion: ShopifyAPIVersion = .standard,
        origin: String? = nil,
        endpoint: HTTPURL? = nil,
        endpointHosts: [String]? = nil,
        allowsLoopbackHTTP: Bool = false,
        timeout: Duration = .seconds(15)
    ) throws(IdentityError) {
        guard let domain = ShopDomain(shopDomain, allowsLoopbackHTTP: allowsLoopbackHTTP),
            let discovery = try? domain.url.replacing(path: "/.well-known/customer-account-api")
        else {
            throw Self.invalid(
                "`shopDomain` of the Customer Account API is not a bare domain name.",
                "Set shopDomain to a host name without scheme, port and path, for example example.myshopify.com."
            )
        }
        guard apiVersion.isPathSegment else {
            throw Self.invalid(
                "`apiVersion` of the Customer Account API is not a version.",
                "Set apiVersion to a version such as 2026-10, or to unstable."
            )
        }
        if let origin {
            guard let url = HTTPURL(serializedOrigin: origin), url.isSecure(orLoopback: allowsLoopbackHTTP) else {
                throw Self.invalid(
                    "`origin` of the Customer Account API is not an https origin in the form that browsers send.",
                    "Set origin to an origin such as https://shop.example, without a trailing slash and without a path. Register it "
                        + "at Shopify under JavaScript origins."
                )
            }
        }
        if let endpoint, !endpoint.isSecure(orLoopback: allowsLoopbackHTTP) {
            throw Self.invalid("`endpoint` of the Customer Account API must use https.", IdentityError.httpsHint)
        }
        guard ShopifyEndpointHosts.isValid(endpointHosts) else {
            throw Self.invalid(
                "`endpointHosts` of the Customer Account API must be a list of one or more host names.",
                "Set endpointHosts to host names such as shopify.com and account.brand.example, or omit endpointHosts."
            )
        }
        guard timeout > .zero else {
            throw Self.invalid(
                "`timeout` of the Customer Account API must be greater than 0.",
                "Set timeout to a time such as 15 seconds."
            )
        }
        self.shopDomain = domain.name
        self.apiVersion = apiVersion
        self.origin = origin
        self.endpoint = endpoint
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
        self.timeout = timeout
        self.discovery = discovery
        hosts = ShopifyEndpointHosts.list(endpointHosts, shop: discovery.host)
    }

    private static func invalid(_ message: String, _ hint: String) -> IdentityError {
        IdentityError(
            configuration: message,
            hint: hint,
            reference: "Customer Account API reference, endpoints"
        )
    }

    /// Reads the section `customerAccount` of a configuration file.
    ///
    /// Members: `shopDomain` (required), `apiVersion`, `origin`, `endpoint`, `endpointHosts`, `timeout`, `allowsLoopbackHTTP`.
    ///
    /// - Throws: `IdentityError` that names the member, also for an unknown member.
    public init(_ section: ConfigurationSection) throws(IdentityError) {
        try section.check(members: [
            "shopDomain", "apiVersion", "origin", "endpoint", "endpointHosts", "timeout", "allowsLoopbackHTTP",
        ])
        var section = section
        let allowsLoopbackHTTP = try section.bool("allowsLoopbackHTTP", default: false)
        try self.init(
            shopDomain: try section.string("shopDomain"),
            apiVersion: try section.optionalString("apiVersion").map(ShopifyAPIVersion.init(rawValue:)) ?? .standard,
            origin: try section.optionalString("origin"),
            endpoint: try section.optionalURL("endpoint", allowsLoopbackHTTP: allowsLoopbackHTTP),
            endpointHosts: try section.optionalStrings("endpointHosts"),
            allowsLoopbackHTTP: allowsLoopbackHTTP,
            timeout: try section.optionalSeconds("timeout") ?? .seconds(15)
        )
    }
}
