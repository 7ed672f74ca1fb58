internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC
internal import ShopifyGraphQL
internal import Synchronization

/// Where a shop's Customer Account API is: what is configured, else what the shop's own document says, kept for an hour.
///
/// One executor for each address, so that breaker and reports last.
final class CustomerAccountLocator: Sendable {
    private let configuration: CustomerAccountConfiguration
    private let environment: IdentityEnvironment
    private let retry: RetryPolicy
    private let observers: [any GraphQLObserver]
    private let address: DiscoveryCache<HTTPURL>
    private let known = Mutex<GraphQLExecutor?>(nil)

    init(
        _ configuration: CustomerAccountConfiguration,
        _ environment: IdentityEnvironment,
        _ retry: RetryPolicy,
        _ observers: [any GraphQLObserver]
    ) {
        self.configuration = configuration
        self.environment = environment
        self.retry = retry
        self.observers = observers
        // The address hardly ever changes: an old one is better than an outage of the document that names it.
        address = DiscoveryCache(clock: environment.clock, keepsOldValue: { $0.kind == .retryLater })
    }

    func executor() async throws(IdentityError) -> GraphQLExecutor {
        if let endpoint = configuration.endpoint { return executor(at: endpoint, isConfigured: true) }
        do {
            return executor(at: try await address.value { [self] in try await discover() }, isConfigured: false)
        } catch {
            throw .wrapping(error)
        }
    }

    private func executor(at url: HTTPURL, isConfigured: Bool) -> GraphQLExecutor {
        known.withLock { known in
            if let known, known.endpoint.url.text.isIdentical(to: url.text) { return known }
            let executor = GraphQLExecutor(
                endpoint: endpoint(url, isConfigured: isConfigured),
                environment: environment,
                retry: retry,
                observers: observers
            )
            known = executor
            return executor
        }
    }

    private func discover() async throws -> HTTPURL {
        let httpClient = ProviderHTTPClient(
            environment: environment,
            timeout: configuration.timeout,
            allowsLoopbackHTTP: configuration.allowsLoopbackHTTP,
            configured: [configuration.discovery]
        )
        let response = try await httpClient.document(
            at: configuration.discovery,
            following: 3,
            headers: [],
            within: configuration.hosts,
            asking: "The shop's customer-account-api document"
        )
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
            let url = try? HTTPURL(text), url.isSecure || (configuration.allowsLoopbackHTTP && url.isLoopback),
            let pinned = Self.pinned(url, to: configuration.apiVersion.rawValue)
        else {
            throw failure(.rejected, .discoveryFailed, "names no https address as graphql_api", of: response)
        }
        guard configuration.hosts.accepts(pinned) else {
            throw configuration.hosts.refusal(of: pinned, "The shop's customer-account-api document puts the API at")
        }
        return pinned
    }

    /// The address with its version replaced: what the document names moves to the newest version by itself.
    static func pinned(_ url: HTTPURL, to version: String) -> HTTPURL? {
        var segments = url.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let index = segments.lastIndex(where: isVersion) else { return url }
        segments[index] = version
        return try? url.replacing(path: segments.joined(separator: "/"), query: url.query)
    }

    private static func isVersion(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return text.isIdentical(to: "unstable")
            || bytes.count == 7
                && bytes.enumerated().allSatisfy { $0 == 4 ? $1 == UInt8(ascii: "-") : (0x30...0x39).contains($1) }
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
            hint:
                "Use a domain that Shopify serves, such as the myshopify.com name, or set the endpoint of the Customer Account API.",
            reference: "Customer Account API reference, discovery",
            retryAfter: kind == .retryLater ? response.headers.retryAfter : nil,
            providerAnswer: IdentityError.ProviderAnswer(status: response.status)
        )
    }

    private func endpoint(_ url: HTTPURL, isConfigured: Bool) -> GraphQLEndpoint {
        GraphQLEndpoint(
            name: "The Customer Account API",
            shop: configuration.shopDomain,
            url: url,
            version: configuration.apiVersion,
            allowsLoopbackHTTP: configuration.allowsLoopbackHTTP,
            timeout: configuration.timeout,
            access: "the buyer's access token",
            refusalCode: .customerAccountRefused,
            takesBuyerTokens: true,
            addressPolicy: isConfigured ? .any : configuration.allowsLoopbackHTTP ? .publicOrLoopback : .publicOnly,
            advice: GraphQLEndpoint.Advice(
                refused:
                    "Renew the token; if that does not help, check the app's scopes, and the origin of a public web client.",
                denied: "Ask for customer-account-api:full, and for access to protected customer data.",
                notFound: "Check shopDomain and apiVersion, and that the shop has the new customer accounts.",
                redirected: "Set the endpoint of the Customer Account API to the address to which the redirect leads.",
                tooMany: "Wait as long as Retry-After says: each customer has a budget of its own.",
                attack: "Do not repeat at once; look at the shop's admin."
            )
        )
    }
}
