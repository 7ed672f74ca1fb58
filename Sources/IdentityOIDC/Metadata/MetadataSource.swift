package import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// Where a client learns its provider's endpoints: what is configured first, then discovery, kept for an hour.
package final class MetadataSource: Sendable {
    package struct Configuration: Sendable {
        /// The address of the metadata document; nil when everything is configured.
        package var discoveryURL: HTTPURL?
        /// Which issuers the document may name.
        package var issuers: IssuerPolicy
        /// Endpoints that are configured and replace discovered ones; also the whole metadata where there is no discovery.
        package var configured: ProviderMetadata?
        /// How many redirects of the document's address are followed, https only.
        package var allowedRedirects = 0
        /// What to use when the document is not there (404).
        package var fallback: ProviderMetadata?
        /// Headers to send.
        package var headers: [(name: String, value: String)] = []

        package init(discoveryURL: HTTPURL?, issuers: IssuerPolicy) {
            self.discoveryURL = discoveryURL
            self.issuers = issuers
        }
    }

    private let configuration: Configuration
    private let channel: ProviderChannel
    private let fetches = SingleFlight<Bool, ProviderMetadata>()
    private let cache = Mutex<(metadata: ProviderMetadata, at: Duration)?>(nil)
    private static let lifetime = Duration.seconds(3600)
    /// How long old metadata serve after a failure before the document is asked for again.
    private static let pause = Duration.seconds(60)

    package init(_ configuration: Configuration, channel: ProviderChannel) {
        self.configuration = configuration
        self.channel = channel
    }

    /// Whether the issuer comes from the provider's own document, so that a login can be bound to it.
    package var isDiscovered: Bool { configuration.discoveryURL != nil }

    private var fresh: ProviderMetadata? {
        let now = channel.environment.clock.elapsed
        return cache.withLock { $0 }.flatMap { now - $0.at < Self.lifetime ? $0.metadata : nil }
    }

    /// The metadata, from memory while they are fresh.
    ///
    /// - Throws: `IdentityError`.
    package func metadata() async throws -> ProviderMetadata {
        if let fresh { return fresh }
        do {
            return try await fetches.run(true) { [self] in
                // Between the look and the fetch another's fetch may have ended.
                if let fresh { return fresh }
                let metadata = overridden(try await fetch())
                cache.withLock { $0 = (metadata, channel.environment.clock.elapsed) }
                return metadata
            }.value
        } catch let error as IdentityError where error.kind != .cancelled {
            // Endpoints hardly ever change: old ones beat an outage of the document that names them, and its lies.
            let cached = cache.withLock { cached -> ProviderMetadata? in
                cached?.at = channel.environment.clock.elapsed - Self.lifetime + Self.pause
                return cached?.metadata
            }
            guard let cached else { throw error }
            return cached
        }
    }

    private func fetch() async throws -> ProviderMetadata {
        guard let url = configuration.discoveryURL else {
            guard let configured = configuration.configured else {
                throw IdentityError(
                    .configuration,
                    .discoveryFailed,
                    "Neither endpoints nor a discovery address are configured.",
                    hint: "Configure the issuer or the endpoints."
                )
            }
            return configured
        }
        let response = try await channel.document(
            at: url,
            following: configuration.allowedRedirects,
            headers: configuration.headers,
            asking: "The provider's metadata address"
        )
        if response.status == 404, let fallback = configuration.fallback { return fallback }
        return try accept(response)
    }

    private func accept(_ response: HTTPResponse) throws -> ProviderMetadata {
        guard response.status == 200 else {
            let isOutage = response.status >= 500 || response.status == 429
            throw IdentityError(
                isOutage ? .retryLater : .configuration,
                isOutage ? .providerUnavailable : .discoveryFailed,
                "The provider's metadata cannot be had (HTTP \(response.status)).",
                hint: isOutage ? "Try again in a while." : "Check the configured issuer or shop domain.",
                reference: "OpenID Connect Discovery 1.0 section 4",
                providerAnswer: IdentityError.ProviderAnswer(status: response.status)
            )
        }
        let metadata = try ProviderMetadata(
            parsing: response.body,
            allowsLoopbackHTTP: channel.allowsLoopbackHTTP
        )
        guard configuration.issuers.isAccepted(metadata.issuer) else {
            throw IdentityError(
                .rejected,
                .discoveryIssuerMismatch,
                "The provider's metadata name another issuer than expected.",
                hint: "Accepted here: \(configuration.issuers.summary). What was named is in the provider answer.",
                reference: "OpenID Connect Discovery 1.0 section 4.3",
                providerAnswer: IdentityError.ProviderAnswer(error: metadata.issuer)
            )
        }
        return metadata
    }

    private func overridden(_ found: ProviderMetadata) -> ProviderMetadata {
        guard let configured = configuration.configured else { return found }
        var metadata = found
        metadata.authorizationEndpoint = configured.authorizationEndpoint ?? found.authorizationEndpoint
        metadata.tokenEndpoint = configured.tokenEndpoint ?? found.tokenEndpoint
        metadata.keySetURL = configured.keySetURL ?? found.keySetURL
        metadata.endSessionEndpoint = configured.endSessionEndpoint ?? found.endSessionEndpoint
        metadata.userInfoEndpoint = configured.userInfoEndpoint ?? found.userInfoEndpoint
        metadata.pushedAuthorizationRequestEndpoint =
            configured.pushedAuthorizationRequestEndpoint ?? found.pushedAuthorizationRequestEndpoint
        metadata.revocationEndpoint = configured.revocationEndpoint ?? found.revocationEndpoint
        metadata.deviceAuthorizationEndpoint =
            configured.deviceAuthorizationEndpoint ?? found.deviceAuthorizationEndpoint
        return metadata
    }
}
