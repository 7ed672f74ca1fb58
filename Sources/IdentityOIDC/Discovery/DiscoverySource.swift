package import IdentityHTTP
package import IdentityKit

/// Gets the provider's metadata for a client: configured endpoints, and the other members from a metadata document (discovery).
///
/// The metadata are cached for an hour. ``FetchCache`` describes the pause after a failed discovery.
package final class DiscoverySource: Sendable {
    package struct Configuration: Sendable {
        /// The address of the metadata document; nil without discovery.
        package var discoveryURL: HTTPURL?
        package var issuers: IssuerPolicy
        /// Configured endpoints, which replace discovered endpoints; without discovery, they are the whole metadata.
        package var configured: ProviderMetadata
        package var discovery = OpenIDClient.Discovery()
        /// The configuration member or members from which the document's address comes; for errors.
        package var addressMember = "issuer"
        /// The configuration members that decide which issuers are accepted; for errors.
        package var issuerMembers = ["issuer", "issuers"]
        package var provider = ""

        package init(discoveryURL: HTTPURL?, issuers: IssuerPolicy, configured: ProviderMetadata) {
            self.discoveryURL = discoveryURL
            self.issuers = issuers
            self.configured = configured
        }

        var addressHint: String {
            let check =
                "Check \(addressMember) in the provider's configuration: the address of the metadata comes from there."
            return [check, discovery.addressAdvice].compactMap(\.self).joined(separator: " ")
        }
    }

    /// How long the old metadata are used after the SDK has refused a newer document of the provider for the first time.
    ///
    /// Without the old metadata, a wrong document would stop every login at once. Without a limit, nobody would notice that the provider
    /// has changed, for example its issuer.
    private static let refusalLimit = Duration.seconds(2 * 86_400)

    private let configuration: Configuration
    private let httpClient: ProviderHTTPClient
    private let cache: FetchCache<Current>

    /// Holds metadata behind one reference, because copying a ``ProviderMetadata`` is slow: the copy retains each member.
    package final class Current: Sendable {
        package let metadata: ProviderMetadata
        init(_ metadata: ProviderMetadata) { self.metadata = metadata }
    }

    package init(_ configuration: Configuration, httpClient: ProviderHTTPClient) {
        self.configuration = configuration
        usesDiscovery = configuration.discoveryURL != nil
        self.httpClient = httpClient
        cache = FetchCache(clock: httpClient.environment.clock, usingOldValueAfterRefusal: Self.refusalLimit)
    }

    /// Whether the client uses discovery; if not, a login is not bound to the issuer in the metadata.
    let usesDiscovery: Bool

    var inMemory: ProviderMetadata? { (try? cache.known())?.metadata }

    /// The metadata; ``OpenIDClient/metadata()`` says how long fetched metadata are used.
    package func current() async throws -> Current {
        if let known = try cache.known() { return known }
        return try await cache.value { [self] in
            let environment = httpClient.environment
            let start = environment.clock.elapsed
            do {
                return Current(try await fetch().overridden(by: configuration.configured))
            } catch {
                let code = IdentityError.code(of: error)
                // A cancelled fetch does not show that the metadata are unavailable.
                if code != .cancelled {
                    environment.report(.metadataUnavailable(code), provider: configuration.provider, since: start)
                }
                throw error
            }
        }
    }

    private func fetch() async throws -> ProviderMetadata {
        guard let url = configuration.discoveryURL else { return configuration.configured }
        let response = try await httpClient.document(
            at: url,
            following: configuration.discovery.allowedRedirects,
            headers: configuration.discovery.headers.map { ($0.name, $0.value.reveal()) },
            within: configuration.discovery.allowedHosts,
            asking: "The provider's metadata address",
            setting: "endpoints.discovery to the address where the redirects end"
        )
        if response.status == 404, let fallback = configuration.discovery.fallback {
            return fallback.metadata(issuer: configuration.configured.issuer)
        }
        return try accept(response, from: url)
    }

    private func accept(_ response: HTTPResponse, from url: HTTPURL) throws -> ProviderMetadata {
        guard response.status == 200 else {
            let isRedirect = (300..<400).contains(response.status)
            let advice =
                isRedirect
                ? " If the response is a redirect to an address of the provider, set endpoints.discovery to that address."
                : ""
            throw UnreadableDocument.error(
                response,
                "The provider's metadata could not be fetched from \(url.origin)\(url.path)",
                addressHint: configuration.addressHint + advice,
                reference: "OpenID Connect Discovery 1.0 section 4"
            )
        }
        let metadata = try ProviderMetadata(
            parsing: response.body,
            allowsLoopbackHTTP: httpClient.allowsLoopbackHTTP,
            addressHint: configuration.addressHint
        )
        try checkIssuer(metadata.issuer)
        try checkHosts(metadata)
        return metadata
    }

    private func checkIssuer(_ issuer: String) throws(IdentityError) {
        let accepted = configuration.issuers
        guard accepted.isAccepted(issuer) else {
            throw IdentityError(
                .rejected,
                .discoveryIssuerMismatch,
                "The provider's metadata have an issuer that is not accepted.",
                hint:
                    "Compare the issuer in providerResponse of this error with the accepted issuers (\(accepted.summary)). If the issuer "
                    + "is another provider's, correct \(configuration.addressMember), from which the address of the metadata comes. "
                    + "Otherwise correct \(configuration.issuerMembers.joined(separator: " or ")) (in OpenIDClient.Configuration: "
                    + "issuer or acceptedIssuers).",
                reference: "OpenID Connect Discovery 1.0 section 4.3",
                providerResponse: IdentityError.ProviderResponse(error: issuer)
            )
        }
    }

    private func checkHosts(_ metadata: ProviderMetadata) throws(IdentityError) {
        guard let hosts = configuration.discovery.allowedHosts else { return }
        let configured = configuration.configured.endpoints.map(\.name)
        for (name, url) in metadata.endpoints where !configured.contains(name) && !hosts.accepts(url) {
            throw hosts.refusal(of: url, "The \(name) in the provider's metadata is at")
        }
    }
}
