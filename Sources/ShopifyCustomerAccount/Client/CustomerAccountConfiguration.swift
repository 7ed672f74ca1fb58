public import IdentityHTTP
public import IdentityKit
public import ShopifyGraphQL

/// Which shop's Customer Account API is called, and in which version.
public struct CustomerAccountConfiguration: Sendable {
    /// The domain under which the shop says where its API is: `example.myshopify.com` or its primary domain.
    public let shopDomain: String
    /// The version of the API.
    public let apiVersion: ShopifyAPIVersion
    /// The origin of a public web client, which Shopify asks such clients to send.
    public let origin: String?
    /// Where requests go, where that is not to be found out.
    public let endpoint: HTTPURL?
    /// Whether plain http to 127.0.0.1 and [::1] is permitted, for tests on one machine.
    public let allowsLoopbackHTTP: Bool
    /// How long one exchange may take.
    public let timeout: Duration
    /// Where the shop says where its API is.
    let discovery: HTTPURL
    /// The hosts at which the shop may put its API.
    let hosts: EndpointHosts

    /// Describes a shop.
    ///
    /// - Parameters:
    ///   - shopDomain: A host name alone, without scheme and path.
    ///   - apiVersion: The version; 2026-10 unless given.
    ///   - origin: The origin of a public web client; none unless given.
    ///   - endpoint: A URL instead of the one that the shop tells.
    ///   - endpointHosts: The hosts at which the shop may put its API, and to which its document may redirect. Unless given:
    ///     `shopify.com`, and the shop domain with its subdomains. Host names only; a name does not include its subdomains.
    ///   - allowsLoopbackHTTP: Whether URLs may be http to a loopback address; no unless given.
    ///   - timeout: How long one exchange may take; 15 seconds unless given.
    /// - Throws: `IdentityError` of kind `IdentityError.Kind.configuration` for a domain that is none, a version that is no path
    ///   segment, an origin that cannot stand in a header, an endpoint that is not https, or a host that is no host name.
    public init(
        shopDomain: String,
        apiVersion: ShopifyAPIVersion = .standard,
        origin: String? = nil,
        endpoint: HTTPURL? = nil,
        endpointHosts: [String]? = nil,
        allowsLoopbackHTTP: Bool = false,
        timeout: Duration = .seconds(15)
    ) throws(IdentityError) {
        let domain = shopDomain.lowercased()
        guard !domain.utf8.contains(where: { "/?#@".utf8.contains($0) }), domain.contains("."),
            let https = try? HTTPURL("https://" + domain),
            let site = allowsLoopbackHTTP && https.isLoopback ? try? HTTPURL("http://" + domain) : https,
            let discovery = try? site.replacing(path: "/.well-known/customer-account-api")
        else {
            throw Self.invalid("The shop domain is not a host name.", "Write it like example.myshopify.com.")
        }
        guard apiVersion.isPathSegment else {
            throw Self.invalid("The Customer Account API version is not valid.", "Use for example 2026-10.")
        }
        if let origin, (try? HTTPURL(origin))?.origin.isIdentical(to: origin) != true {
            throw Self.invalid("The origin is none.", "Write scheme and host alone, for example https://shop.example.")
        }
        if let endpoint, !endpoint.isSecure, !(allowsLoopbackHTTP && endpoint.isLoopback) {
            throw Self.invalid(
                "The Customer Account endpoint must be https.",
                "For tests on one machine, allowsLoopbackHTTP permits http to 127.0.0.1 and [::1]."
            )
        }
        guard endpointHosts?.isEmpty != true, endpointHosts?.allSatisfy({ EndpointHosts.host($0) != nil }) ?? true
        else {
            throw Self.invalid(
                "`endpointHosts` must be a list of host names.",
                "Write names alone, for example shopify.com and account.brand.example, or leave it out."
            )
        }
        guard timeout > .zero else {
            throw Self.invalid("The timeout must be more than nothing.", "15 seconds is the default.")
        }
        self.shopDomain = domain
        self.apiVersion = apiVersion
        self.origin = origin
        self.endpoint = endpoint
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
        self.timeout = timeout
        self.discovery = discovery
        let given = endpointHosts?.compactMap { EndpointHosts.host($0) }
        hosts = EndpointHosts(
            given ?? ["shopify.com"],
            andBelow: given == nil ? [discovery.host] : [],
            member: "endpointHosts"
        )
    }

    private static func invalid(_ message: String, _ hint: String) -> IdentityError {
        IdentityError(.configuration, .configurationInvalid, message, hint: hint)
    }
}
