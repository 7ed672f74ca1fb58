internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// Fetches the key set for a ``KeySetSource``, with `If-None-Match` if possible.
final class KeySetFetcher: Sendable {
    /// How long the response "not modified" (304) is accepted after the last response that contained a key set.
    ///
    /// Without this limit, a broken HTTP cache that always returns 304 could keep a revoked key valid forever.
    static let maximumConfirmedAge = Duration.seconds(86_400)

    private let httpClient: ProviderHTTPClient
    private let provider: String
    private let fetches = Atomic(0)

    init(httpClient: ProviderHTTPClient, provider: String) {
        self.httpClient = httpClient
        self.provider = provider
    }

    /// Fetches keys, or confirms the known keys, which must be from the same URL; `bypassingCaches` applies to HTTP caches.
    func keys(
        at url: HTTPURL,
        after known: KeySetSnapshot? = nil,
        bypassingCaches: Bool = false
    ) async throws -> KeySetSnapshot {
        let environment = httpClient.environment
        let start = environment.clock.elapsed
        do {
            let snapshot = try await fetch(url, known, bypassingCaches)
            environment.report(.keySetRefreshed, provider: provider, since: start)
            return snapshot
        } catch {
            let code = IdentityError.code(of: error)
            // A cancelled fetch does not show that the keys are unavailable.
            if code != .cancelled { environment.report(.keySetUnavailable(code), provider: provider, since: start) }
            throw error
        }
    }

    private func fetch(_ url: HTTPURL, _ known: KeySetSnapshot?, _ isForced: Bool) async throws -> KeySetSnapshot {
        // The lifetime counts from the start of the request, because the response may have been delayed.
        let requestedAt = httpClient.environment.clock.elapsed
        // Of two concurrent fetches, the later request returns the newer keys, even if its response arrives first.
        let fetch = fetches.add(1, ordering: .relaxed).newValue
        let confirmable = known.flatMap { requestedAt - $0.receivedAt < Self.maximumConfirmedAge ? $0 : nil }
        var fields: [(name: String, value: String)] = []
        if let tag = confirmable?.entityTag { fields.append(("If-None-Match", tag)) }
        // Without `no-cache`, an HTTP cache could return the keys from before a key rotation (RFC 9111 section 5.2.1.4).
        if isForced { fields.append(("Cache-Control", "no-cache")) }
        let response = try await httpClient.send(
            .get,
            url,
            headers: try ProviderHTTPClient.headers(fields),
            asking: "The provider's key set"
        )
        let lifetime = KeySetLifetime.read(response.headers, now: httpClient.environment.clock.now)
        if response.status == 304, var confirmed = confirmable, confirmed.entityTag != nil {
            confirmed.fetch = fetch
            confirmed.lifetime = lifetime ?? confirmed.lifetime
            confirmed.confirmedAt = requestedAt
            confirmed.freshUntil = requestedAt + confirmed.lifetime
            return confirmed
        }
        let keys = try Self.parse(response)
        let bounded = lifetime ?? KeySetLifetime.default
        let isSame = known?.keys.hasSameKeys(as: keys) ?? false
        return KeySetSnapshot(
            url: url,
            keys: keys,
            revision: isSame ? known?.revision ?? fetch : fetch,
            fetch: fetch,
            entityTag: response.headers["ETag"].flatMap { Self.isEntityTag($0) ? $0 : nil },
            lifetime: bounded,
            receivedAt: requestedAt,
            confirmedAt: requestedAt,
            freshUntil: requestedAt + bounded
        )
    }

    private static func parse(_ response: HTTPResponse) throws -> JSONWebKeySet {
        guard !(300..<400).contains(response.status) else {
            throw IdentityError(
                .rejected,
                .redirectRefused,
                "The key set URL returned no key set, but a redirect or another 3xx status. Redirects are not followed.",
                hint:
                    "If the response is a redirect to an address of the provider, set endpoints.jwks (in Swift: keySetURL of "
                    + "JWTSignatureVerifier) to that address. Otherwise report the status in providerResponse of this error to the "
                    + "provider.",
                reference: "RFC 7517 section 5",
                providerResponse: IdentityError.ProviderResponse(status: response.status)
            )
        }
        guard response.status == 200 else {
            throw UnreadableDocument.error(
                response,
                "The provider's key set could not be fetched",
                addressHint:
                    "Check the address of the key set. \(JSONWebKeySet.addressSource)",
                reference: "RFC 7517 section 5"
            )
        }
        let keys = try JSONWebKeySet(parsing: response.body)
        guard keys.count > 0 else {
            // A key set without a supported key must not replace the cached keys.
            throw IdentityError(
                .rejected,
                .discoveryFailed,
                "The provider's key set contains no supported key.",
                hint: """
                    Check the address of the key set. \(JSONWebKeySet.addressSource) If it is right, ask the provider to publish a \
                    supported signing key: RSA of 2048 to 8192 bits, P-256, P-384, P-521 or Ed25519.
                    """,
                reference: "RFC 7517 section 5"
            )
        }
        return keys
    }

    /// Whether a value is a valid entity tag (RFC 9110 section 8.8.3) of at most 256 bytes, without counting a prefix `W/`.
    private static func isEntityTag(_ value: String) -> Bool {
        let opaque = value.hasPrefix("W/") ? value.utf8.dropFirst(2) : value.utf8[...]
        return opaque.count >= 2 && opaque.count <= 256 && opaque.first == 0x22 && opaque.last == 0x22
            && opaque.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x7F }
    }
}
