internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

/// Where the Customer Account API is: what is configured, else what the shop's own document says, kept for an hour.
final class CustomerAccountAddress: Sendable {
    private let configured: HTTPURL?
    private let discovery: HTTPURL?
    private let fallback: HTTPURL?
    private let version: String
    private let hosts: EndpointHosts
    private let httpClient: ProviderHTTPClient
    private let headers: [(name: String, value: String)]
    private let found: DiscoveryCache<HTTPURL>

    init(
        configured: HTTPURL?,
        discovery: HTTPURL?,
        fallback: HTTPURL?,
        version: String,
        hosts: EndpointHosts,
        httpClient: ProviderHTTPClient,
        headers: [(name: String, value: String)]
    ) {
        self.configured = configured
        self.discovery = discovery
        self.fallback = fallback
        self.version = version
        self.hosts = hosts
        self.httpClient = httpClient
        self.headers = headers
        // The address hardly ever changes: an old one is better than an outage of the document that names it.
        found = DiscoveryCache(clock: httpClient.environment.clock, keepsOldValue: { $0.kind == .retryLater })
    }

    /// The address with the pinned version; nil when nothing leads to one.
    func url() async throws -> HTTPURL? {
        if let configured { return configured }
        guard let discovery else { return fallback }
        return try await found.value { [self] in try await fetch(discovery) }
    }

    private func fetch(_ discovery: HTTPURL) async throws -> HTTPURL {
        let response = try await httpClient.document(
            at: discovery,
            following: 3,
            headers: headers,
            within: hosts,
            asking: "The shop's customer-account-api document"
        )
        if response.status == 404, let fallback { return fallback }
        guard response.status == 200 else {
            let isOutage = response.status >= 500 || response.status == 429
            throw failure(
                isOutage ? .retryLater : .configuration,
                isOutage ? .providerUnavailable : .discoveryFailed,
                "could not be fetched (HTTP \(response.status))",
                of: response
            )
        }
        guard let text = (try? JSONValue(parsing: response.body))?["graphql_api"]?.string,
            let url = try? HTTPURL(text), url.isSecure || (httpClient.allowsLoopbackHTTP && url.isLoopback),
            let pinned = ShopifyURLs.pinned(url, to: version)
        else {
            throw failure(.rejected, .discoveryFailed, "names no https address as graphql_api", of: response)
        }
        guard hosts.accepts(pinned) else {
            throw hosts.refusal(of: pinned, "The shop's customer-account-api document puts the API at")
        }
        return pinned
    }

    private func failure(
        _ kind: IdentityError.Kind,
        _ code: IdentityError.Code,
        _ problem: String,
        of response: HTTPResponse
    ) -> IdentityError {
        IdentityError(
            kind,
            code,
            "The shop's customer-account-api document \(problem).",
            hint: "Use a domain that Shopify serves, such as the myshopify.com name, or configure endpoints.api.",
            reference: "Customer Account API reference, discovery",
            retryAfter: kind == .retryLater ? response.headers.retryAfter : nil,
            providerAnswer: IdentityError.ProviderAnswer(status: response.status)
        )
    }
}
