internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC
internal import Synchronization

/// Where the Customer Account API is: what is configured, else what the shop's own document says, kept for an hour.
final class CustomerAccountAddress: Sendable {
    private let configured: HTTPURL?
    private let discovery: HTTPURL?
    private let fallback: HTTPURL?
    private let version: String
    private let channel: ProviderChannel
    private let headers: [(name: String, value: String)]
    private let cache = Mutex<(url: HTTPURL, at: Duration)?>(nil)
    private let fetches = SingleFlight<Bool, HTTPURL>()
    private static let lifetime = Duration.seconds(3600)

    init(
        configured: HTTPURL?,
        discovery: HTTPURL?,
        fallback: HTTPURL?,
        version: String,
        channel: ProviderChannel,
        headers: [(name: String, value: String)]
    ) {
        self.configured = configured
        self.discovery = discovery
        self.fallback = fallback
        self.version = version
        self.channel = channel
        self.headers = headers
    }

    /// The address with the pinned version; nil when nothing leads to one.
    func url() async throws -> HTTPURL? {
        if let configured { return configured }
        guard let discovery else { return fallback }
        let now = channel.environment.clock.elapsed
        if let cached = cache.withLock({ $0 }), now - cached.at < Self.lifetime { return cached.url }
        do {
            return try await fetches.run(true) { [self] in
                let url = try await fetch(discovery)
                cache.withLock { $0 = (url, channel.environment.clock.elapsed) }
                return url
            }.value
        } catch let error as IdentityError where error.kind == .retryLater {
            // The address hardly ever changes: an old one beats an outage of the document that names it.
            if let cached = cache.withLock({ $0 }) { return cached.url }
            throw error
        }
    }

    private func fetch(_ discovery: HTTPURL) async throws -> HTTPURL {
        let response = try await channel.document(
            at: discovery,
            following: 3,
            headers: headers,
            asking: "The shop's customer-account-api document"
        )
        if response.status == 404, let fallback { return fallback }
        guard response.status == 200 else {
            let isOutage = response.status >= 500 || response.status == 429
            throw failure(
                isOutage ? .retryLater : .configuration,
                isOutage ? .providerUnavailable : .discoveryFailed,
                "cannot be had (HTTP \(response.status))",
                status: response.status
            )
        }
        guard let text = (try? JSONValue(parsing: response.body))?["graphql_api"]?.string,
            let url = try? HTTPURL(text), url.isSecure || (channel.allowsLoopbackHTTP && url.isLoopback),
            let pinned = ShopifyAddresses.pinned(url, to: version)
        else {
            throw failure(.rejected, .discoveryFailed, "names no https address as graphql_api", status: 200)
        }
        return pinned
    }

    private func failure(
        _ kind: IdentityError.Kind,
        _ code: IdentityError.Code,
        _ problem: String,
        status: Int
    ) -> IdentityError {
        IdentityError(
            kind,
            code,
            "The shop's customer-account-api document \(problem).",
            hint: "Use a domain that Shopify serves, such as the myshopify.com name, or configure endpoints.api.",
            reference: "Customer Account API reference, discovery",
            providerAnswer: IdentityError.ProviderAnswer(status: status)
        )
    }
}
