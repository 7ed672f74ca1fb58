package import IdentityHTTP
package import IdentityKit

/// Gets the provider's metadata for a client: the configured endpoints, and the others from a metadata document (discovery), which is
/// kept for an hour.
///
/// After a failed discovery, the next attempt waits as ``DiscoveryCache`` describes.
package final class MetadataSource: Sendable {
    /// Where the metadata come from and what is accepted in them.
    package struct Configuration: Sendable {
        /// The address of the metadata document; nil without discovery.
        package var discoveryURL: HTTPURL?
        package var issuers: IssuerPolicy
        /// Configured endpoints, which replace discovered ones.
        ///
        /// Without discovery, they are the whole metadata.
        package var configured: ProviderMetadata
        package var discovery = OpenIDClient.Discovery()
        /// The member or members of the provider's configuration from which the document's address comes, for errors.
        package var addressMember = "issuer"
        /// The provider's name, for events.
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

    /// How long the metadata in memory are still used after a newer document of the provider was refused for the first time.
    ///
    /// If the old metadata were not used, a wrong document would stop every login at once. If they were used without a limit, nobody would
    /// notice that the provider has moved.
    private static let refusalLimit = Duration.seconds(2 * 86_400)

    private let configuration: Configuration
    private let httpClient: ProviderHTTPClient
    private let cache: DiscoveryCache<Current>

    /// Holds metadata behind one reference, because a copy of ``ProviderMetadata`` is slow: it retains each member.
    package final class Current: Sendable {
        package let metadata: ProviderMetadata
        init(_ metadata: ProviderMetadata) { self.metadata = metadata }
    }

    package init(_ configuration: Configuration, httpClient: ProviderHTTPClient) {
        self.configuration = configuration
        usesDiscovery = configuration.discoveryURL != nil
        self.httpClient = httpClient
        cache = DiscoveryCache(clock: httpClient.environment.clock, usingOldValueAfterRefusal: Self.refusalLimit)
    }

    /// Whether the metadata come from discovery; if not, a login is not bound to their issuer.
    let usesDiscovery: Bool

    /// The metadata if they are in memory and may be used without a request.
    var inMemory: ProviderMetadata? { (try? cache.known())?.metadata }

    /// The metadata, from memory for up to an hour; longer while they cannot be fetched again, and for up to two days after a newer
    /// document was refused.
    ///
    /// - Throws: `IdentityError`.
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
            headers: configuration.discovery.headers,
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
            throw UnreadableDocument.error(
                response,
                "The provider's metadata could not be fetched from \(url.origin)\(url.path)",
                addressHint: configuration.addressHint,
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

    /// Refuses metadata whose `issuer` is not accepted (OpenID Connect Discovery 1.0 section 4.3).
    private func checkIssuer(_ issuer: String) throws(IdentityError) {
        let accepted = configuration.issuers
        guard accepted.isAccepted(issuer) else {
            throw IdentityError(
                .rejected,
                .discoveryIssuerMismatch,
                "The provider's metadata name an issuer that is not accepted.",
                hint:
                    "Compare the issuer in providerResponse of this error with the accepted ones (\(accepted.summary)). If the issuer is "
                    + "another provider's, correct \(configuration.addressMember), from which the address of the metadata comes. "
                    + "Otherwise correct issuer or issuers; at Shopify, shopID or issuers.",
                reference: "OpenID Connect Discovery 1.0 section 4.3",
                providerResponse: IdentityError.ProviderResponse(error: issuer)
            )
        }
    }

    /// Refuses discovered endpoints at hosts that are not in the list; configured endpoints may have any host.
    private func checkHosts(_ metadata: ProviderMetadata) throws(IdentityError) {
        guard let hosts = configuration.discovery.allowedHosts else { return }
        let configured = configuration.configured.endpoints.map(\.name)
        for (name, url) in metadata.endpoints where !configured.contains(name) && !hosts.accepts(url) {
            throw hosts.refusal(of: url, "The \(name) in the provider's metadata is at")
        }
    }
}
