package import IdentityHTTP
package import IdentityKit

/// Gets and caches a provider's keys: callers share one fetch, fetches are rate-limited, and keys stay usable during a short outage.
///
/// A chain of links does the work; each link has one task. `Documentation/Decisions/0008-key-set.md` explains the chain.
package struct KeySetSource: Sendable {
    private let chain: any KeySetProviding
    /// The chain for tokens that this client did not request, such as logout tokens.
    ///
    /// This chain shares the cached keys and the backoff with ``chain``, but has its own rate limit and negative cache. So forged logout
    /// tokens do not count in the rate limit for logins.
    private let unsolicitedChain: any KeySetProviding
    private let lastKnown: LastKnownKeySet
    private let clock: any IdentityClock

    package init(httpClient: ProviderHTTPClient, provider: String) {
        let environment = httpClient.environment
        let clock = environment.clock
        let backoff = KeySetRetryBackoff(KeySetFetcher(httpClient: httpClient, provider: provider), clock: clock)
        let lastKnown = LastKnownKeySet()
        self.lastKnown = lastKnown
        self.clock = clock
        func chain() -> KeySetNegativeCache {
            let limited = KeySetRefetchLimiter(backoff, environment: environment, provider: provider)
            let tolerant = KeySetStaleIfError(next: limited, clock: clock)
            let cache = KeySetCache(next: tolerant, clock: clock, lastKnown: lastKnown)
            return KeySetNegativeCache(cache, clock: clock)
        }
        self.chain = KeySetRefreshAhead(next: chain(), clock: clock)
        unsolicitedChain = chain()
    }

    package var state: KeySetState {
        guard let snapshot = lastKnown.snapshot else { return .notFetched }
        let age = clock.elapsed - snapshot.confirmedAt
        // `freshUntil` is not compared: during an outage ``KeySetStaleIfError`` moves it into the future although the keys have expired.
        return age < snapshot.lifetime ? .fresh(age: age) : .expired(age: age)
    }

    package func keys(at url: HTTPURL) async throws -> KeySetSnapshot {
        // Most calls do not need the chain, because the keys are cached and do not expire soon.
        if let known = lastKnown.snapshot, known.url == url, !KeySetRefreshAhead.isDue(known, at: clock.elapsed) {
            return known
        }
        return try await chain.keys(at: url, .usable)
    }

    /// Newer keys, for a token that the known keys do not verify; nil if the provider has no newer keys, or if no fetch is permitted now.
    package func newerKeys(at url: HTTPURL, than known: KeySetSnapshot, keyID: String?) async throws -> KeySetSnapshot?
    {
        guard known.url == url else { return try await keys(at: url) }
        let snapshot = try await chain.keys(at: url, .newer(than: known, keyID: keyID))
        return snapshot.revision == known.revision ? nil : snapshot
    }

    /// Verifies a token with the known keys, and with newer keys if the known keys do not verify it.
    ///
    /// `verify` must throw `id_token_key_unknown` or `id_token_signature` when the keys do not verify the token. The token may still be
    /// genuine, because the provider may have added a key, or replaced a key under the same `kid`. So if newer keys cannot be fetched, this
    /// function throws the error of the fetch.
    package func verifying<Value>(
        with url: HTTPURL,
        keyID: String?,
        _ verify: (JSONWebKeySet) throws -> Value
    ) async throws -> Value {
        try await verifying(with: url, verify) { try await newerKeys(at: url, than: $0, keyID: keyID) }
    }

    /// Verifies a token that this client did not request, like ``verifying(with:keyID:_:)`` but with a separate rate limit.
    ///
    /// If the known keys do not verify the token, this function fetches the keys again before it rejects the token. If no fetch is
    /// permitted now, for example because a fetch in the last minute did not find the same `kid`, the function throws a temporary error.
    package func verifyingUnsolicited<Value>(
        with url: HTTPURL,
        keyID: String?,
        _ verify: (JSONWebKeySet) throws -> Value
    ) async throws -> Value {
        try await verifying(with: url, verify) { known in
            let latest = try await unsolicitedChain.keys(at: url, .newer(than: known, keyID: keyID))
            guard latest.fetch != known.fetch else {
                throw IdentityError(
                    .retryLater,
                    .discoveryFailed,
                    "The logout token could not be verified with the cached keys, and the SDK may not fetch the key set again yet.",
                    hint:
                        "If the app receives the logout token itself, respond with an error status, so that the provider can send the "
                        + "token again. If this error happens often, check who sends the logout tokens: they may be forged. This call "
                        + "ended no session.",
                    reference: "OpenID Connect Core section 10.1.1"
                )
            }
            return latest
        }
    }

    private func verifying<Value>(
        with url: HTTPURL,
        _ verify: (JSONWebKeySet) throws -> Value,
        newer: (KeySetSnapshot) async throws -> KeySetSnapshot?
    ) async throws -> Value {
        let known = try await keys(at: url)
        let refusal: IdentityError
        do {
            return try verify(known.keys)
        } catch {
            refusal = IdentityError.wrapping(error)
        }
        guard refusal.code == .idTokenKeyUnknown || refusal.code == .idTokenSignature,
            let newer = try await newer(known)
        else { throw refusal }
        return try verify(newer.keys)
    }
}
