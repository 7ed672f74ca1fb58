package import IdentityHTTP
package import IdentityKit
internal import Synchronization

/// Finds the URL of one shop's Customer Account API, and prepares calls with a buyer's access token.
///
/// The URL comes from the configuration, from the shop's discovery document or from a fallback. A discovered URL is cached for an hour.
/// While the URL stays the same, all calls use one executor, which reports each warning only once.
package final class CustomerAccountAPI: Sendable {
    package struct Configuration: Sendable {
        /// The configured URL of the API; with nil, the discovered URL or ``fallback`` is used.
        package var endpoint: HTTPURL?
        /// The address of the shop's document that names the API's URL; nil if the SDK must not discover the URL.
        package var discoveryURL: HTTPURL?
        /// The URL of the API if the shop has no discovery document (HTTP 404), or ``discoveryURL`` is nil.
        package var fallback: HTTPURL?
        /// The allowed hosts of a discovered API's URL, and of redirects from ``discoveryURL``.
        package var hosts: AllowedHosts
        /// The API version, which replaces the version in a discovered URL.
        package var version: ShopifyAPIVersion
        package var shop: String
        /// The origin of a public web client, sent with every request.
        package var origin: String?
        package var timeout = Duration.seconds(15)
        package var allowsLoopbackHTTP = false
        /// The name of the configuration member for the API's URL, for error messages.
        package var endpointMember = "endpoint"
        /// The names of the configuration members that select shop and version, for error messages.
        package var shopAndVersionMembers = "shopDomain, apiVersion and endpoint"

        package init(hosts: AllowedHosts, version: ShopifyAPIVersion, shop: String) {
            self.hosts = hosts
            self.version = version
            self.shop = shop
        }
    }

    private final class FoundURL: Sendable {
        let url: HTTPURL
        init(url: HTTPURL) { self.url = url }
    }

    let configuration: Configuration
    private let environment: IdentityEnvironment
    private let retry: RetryLimits
    private let observers: [any GraphQLObserver]
    let httpClient: ProviderHTTPClient
    private let discovered: FetchCache<FoundURL>
    private let known = Mutex<GraphQLExecutor?>(nil)

    package init(
        _ configuration: Configuration,
        environment: IdentityEnvironment,
        retry: RetryLimits,
        observers: [any GraphQLObserver] = []
    ) {
        self.configuration = configuration
        self.environment = environment
        self.retry = retry
        self.observers = observers
        httpClient = ProviderHTTPClient(
            environment: environment,
            timeout: configuration.timeout,
            allowsLoopbackHTTP: configuration.allowsLoopbackHTTP,
            configured: [configuration.endpoint, configuration.discoveryURL]
        )
        // During an outage, the last URL is used, because the URL rarely changes. After any other failure, the last URL is not used.
        discovered = FetchCache(clock: environment.clock, usingOldValueAfterRefusal: .zero)
    }

    package var hasURL: Bool {
        configuration.endpoint != nil || configuration.discoveryURL != nil || configuration.fallback != nil
    }

    /// The executor for the API's URL; throws if the URL is unknown, because discovery failed or ``hasURL`` is false.
    package func executor() async throws(IdentityError) -> GraphQLExecutor {
        if let endpoint = configuration.endpoint { return executor(at: endpoint) }
        guard let discoveryURL = configuration.discoveryURL else {
            if let fallback = configuration.fallback { return executor(at: fallback) }
            throw IdentityError(
                configuration: "The configuration has no URL of the Customer Account API.",
                hint: "Set \(configuration.endpointMember) to the URL of the API.",
                reference: "Customer Account API reference, discovery"
            )
        }
        do {
            let found = try await discovered.value { [self] in FoundURL(url: try await discover(discoveryURL)) }
            return executor(at: found.url)
        } catch {
            throw .wrapping(error)
        }
    }

    /// Creates a call with a buyer's access token; throws if the token or the origin is not a valid value of a header.
    package func call(
        accessToken: Secret,
        context: JSONObject = [:]
    ) throws(IdentityError) -> GraphQLCall {
        var call = GraphQLCall(secrets: [accessToken])
        call.context = context
        call.isPersonal = true
        do {
            // The header contains only the token. Shopify returns 401 for a token after "Bearer".
            try call.headers.set("Authorization", accessToken.reveal())
        } catch {
            throw IdentityError(
                .signInAgain,
                .accessTokenRefused,
                "The buyer's access token is not a valid value of an HTTP header.",
                hint: "Let the buyer sign in again.",
                reference: "RFC 9110 section 5.5"
            )
        }
        guard let origin = configuration.origin else { return call }
        do {
            try call.headers.set("Origin", origin)
        } catch {
            throw IdentityError(
                configuration: "The origin of the web client is not a valid value of an HTTP header.",
                hint: "Set origin to an origin such as https://shop.example, without control characters.",
                reference: "RFC 9110 section 5.5"
            )
        }
        return call
    }

    private func executor(at url: HTTPURL) -> GraphQLExecutor {
        known.withLock { known in
            if let known, known.endpoint.url.text.isIdentical(to: url.text) { return known }
            let executor = GraphQLExecutor(
                endpoint: endpoint(url),
                environment: environment,
                retry: retry,
                observers: observers
            )
            known = executor
            return executor
        }
    }

    private func endpoint(_ url: HTTPURL) -> GraphQLEndpoint {
        GraphQLEndpoint(
            name: "The Customer Account API",
            shop: configuration.shop,
            url: url,
            version: configuration.version,
            allowsLoopbackHTTP: configuration.allowsLoopbackHTTP,
            timeout: configuration.timeout,
            access: "the buyer's access token",
            refusalCode: .customerAccountRefused,
            takesBuyerTokens: true,
            addressPolicy: httpClient.addressPolicy(for: url),
            advice: GraphQLEndpoint.Advice(
                refused:
                    "Refresh the access token. If Shopify rejects the new access token too, check the app's scopes, and the origin of "
                    + "a public web client. After HTTP 403, check also whether Shopify blocks this machine or its User-Agent.",
                denied:
                    "Request the scope customer-account-api:full, and ask Shopify for access to protected customer data.",
                notFound:
                    "Check \(configuration.shopAndVersionMembers), and that the shop has the new customer accounts.",
                redirected: "Set \(configuration.endpointMember) to the URL that responds without a redirect.",
                tooMany: "Wait before the next request of this customer: each customer has a separate rate limit.",
                attack:
                    "Wait before you repeat the request. Ask Shopify's support whether Shopify blocks this machine's IP address."
            )
        )
    }
}
