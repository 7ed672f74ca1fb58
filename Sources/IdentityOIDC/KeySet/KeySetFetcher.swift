internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// The last link: asks the provider, with `If-None-Match` where it may, and bounded in size and time by the HTTP client.
final class KeySetFetcher: KeySetProviding {
    /// How old a whole set may be and still be confirmed by "not modified": a cache that is stuck must not keep a revoked key
    /// alive for ever.
    static let confirmable = Duration.seconds(86_400)

    private let httpClient: ProviderHTTPClient
    private let headers: [(name: String, value: String)]
    private let fetches = Atomic(0)

    init(httpClient: ProviderHTTPClient, headers: [(name: String, value: String)]) {
        self.httpClient = httpClient
        self.headers = headers
    }

    func keys(at url: HTTPURL, _ demand: KeySetRequirement) async throws -> KeySetSnapshot {
        // What is kept is kept from the moment of asking: the answer may have been long on its way.
        let askedAt = httpClient.environment.clock.elapsed
        let known = demand.known.flatMap { $0.url == url ? $0 : nil }
        let confirmable = known.flatMap { askedAt - $0.receivedAt < Self.confirmable ? $0 : nil }
        let response = try await httpClient.send(
            .get,
            url,
            headers: try ProviderHTTPClient.headers(headers + conditions(demand, confirmable)),
            asking: "The provider's key set"
        )
        let fetch = fetches.add(1, ordering: .relaxed).newValue
        let lifetime = KeySetLifetime.read(response.headers, now: httpClient.environment.clock.now)
        if response.status == 304, let confirmable, confirmable.entityTag != nil {
            let lifetime = lifetime ?? confirmable.lifetime
            return KeySetSnapshot(
                url: url,
                keys: confirmable.keys,
                revision: confirmable.revision,
                fetch: fetch,
                entityTag: confirmable.entityTag,
                lifetime: lifetime,
                receivedAt: confirmable.receivedAt,
                confirmedAt: askedAt,
                freshUntil: askedAt + lifetime
            )
        }
        let keys = try Self.parse(response)
        let bounded = lifetime ?? KeySetLifetime.unsaid
        let isSame = known?.keys.hasSameKeys(as: keys) ?? false
        return KeySetSnapshot(
            url: url,
            keys: keys,
            revision: isSame ? known?.revision ?? fetch : fetch,
            fetch: fetch,
            entityTag: response.headers["ETag"].flatMap { Self.isEntityTag($0) ? $0 : nil },
            lifetime: bounded,
            receivedAt: askedAt,
            confirmedAt: askedAt,
            freshUntil: askedAt + bounded
        )
    }

    private func conditions(_ demand: KeySetRequirement, _ known: KeySetSnapshot?) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        if let tag = known?.entityTag { fields.append(("If-None-Match", tag)) }
        // A rotation just before signing must not be hidden by a cache on the way (RFC 9111 section 5.2.1.4).
        if case .newer = demand { fields.append(("Cache-Control", "no-cache")) }
        return fields
    }

    private static func parse(_ response: HTTPResponse) throws -> JSONWebKeySet {
        let answer = IdentityError.ProviderAnswer(status: response.status)
        guard !(300..<400).contains(response.status) else {
            throw IdentityError(
                .rejected,
                .redirectRefused,
                "The provider's key set answered with a redirect, which was not followed.",
                hint: "Set endpoints.jwks to the address to which it leads, if that is the provider's.",
                providerAnswer: answer
            )
        }
        guard response.status == 200 else {
            throw IdentityError(
                .retryLater,
                .discoveryFailed,
                "The provider's key set cannot be had (HTTP \(response.status)).",
                hint: "Try again in a while; if it goes on, check the provider's jwks_uri.",
                providerAnswer: answer
            )
        }
        let keys = try JSONWebKeySet(parsing: response.body)
        guard keys.count > 0 else {
            // Nobody who signs has no key: a mistake, and like an outage it does not take the place of good keys.
            throw IdentityError(
                .rejected,
                .discoveryFailed,
                "The provider's key set holds no key that this client can use.",
                hint: "Keys for signatures are needed: RSA of 2048 bits or more, P-256, P-384, P-521 or Ed25519.",
                reference: "RFC 7517 section 5"
            )
        }
        return keys
    }

    /// Whether a value is an entity tag and nothing else (RFC 9110 section 8.8.3), short enough to be sent back.
    private static func isEntityTag(_ value: String) -> Bool {
        let opaque = value.hasPrefix("W/") ? value.utf8.dropFirst(2) : value.utf8[...]
        return opaque.count >= 2 && opaque.count <= 256 && opaque.first == 0x22 && opaque.last == 0x22
            && opaque.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x7F }
    }
}
