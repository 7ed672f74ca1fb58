package import IdentityHTTP
internal import IdentityKit

/// A provider's keys: kept as long as its answers let them, fetched once for all who wait, never lost to an outage, and not to be
/// used as a lever against the provider.
///
/// A chain of small parts, each of which does one of these (`Documentation/Decisions/0008-key-set.md`).
package struct KeySetSource: Sendable {
    private let chain: any KeySetProviding
    /// For newer keys that a token asks for which anybody may have sent: it shares the keys and the pause after failures, and
    /// neither budget nor memory, so that no stranger can use up what a login needs.
    private let strangers: any KeySetProviding

    /// - Parameters:
    ///   - httpClient: How the provider is called.
    ///   - provider: The provider's name, for events.
    ///   - headers: What to send beside `Accept`.
    package init(httpClient: ProviderHTTPClient, provider: String, headers: [(name: String, value: String)] = []) {
        let clock = httpClient.environment.clock
        let reporter = KeySetReporter(environment: httpClient.environment, provider: provider)
        let fetch = KeySetReporting(KeySetFetcher(httpClient: httpClient, headers: headers), reporter: reporter)
        let paused = KeySetRetryBackoff(fetch, clock: clock)
        let memory = LastKnownKeySet()
        func remembering() -> KeySetNegativeCache {
            let budgeted = KeySetRefetchLimiter(paused, clock: clock, reporter: reporter)
            let tolerant = KeySetStaleIfError(budgeted, clock: clock)
            let cache = KeySetCache(tolerant, clock: clock, memory: memory)
            return KeySetNegativeCache(KeySetSingleFlight(cache, clock: clock), clock: clock)
        }
        chain = KeySetRefreshAhead(remembering(), clock: clock)
        strangers = remembering()
    }

    /// The keys at an address.
    ///
    /// - Throws: `IdentityError` when there are none and none can be had.
    package func keys(at url: HTTPURL) async throws -> KeySetSnapshot {
        try await chain.keys(at: url, .usable)
    }

    /// Newer keys, for a token that the known ones do not verify; nil when there are none, or none may be asked for.
    ///
    /// - Throws: `IdentityError` when the provider fails: a key that is not at hand may be had later.
    package func newerKeys(at url: HTTPURL, than known: KeySetSnapshot, keyID: String?) async throws -> KeySetSnapshot?
    {
        guard known.url == url else { return try await keys(at: url) }
        let snapshot = try await chain.keys(at: url, .newer(than: known, keyID: keyID))
        return snapshot.revision == known.revision ? nil : snapshot
    }

    /// Verifies with the keys at hand; where they do not do, once more with newer ones.
    ///
    /// A key may have been added, replaced under its old name, or a token without a name signed with a new one.
    ///
    /// - Parameters:
    ///   - url: The address of the key set.
    ///   - keyID: The token's `kid`.
    ///   - verify: Throws `id_token_key_unknown` or `id_token_signature` when the keys do not do.
    package func verifying<Value>(
        with url: HTTPURL,
        keyID: String?,
        _ verify: (JSONWebKeySet) throws -> Value
    ) async throws -> Value {
        let known = try await keys(at: url)
        let refusal: IdentityError
        do {
            return try verify(known.keys)
        } catch {
            refusal = IdentityError.wrapping(error)
        }
        guard Self.mayPass(refusal) else { throw refusal }
        let newer: KeySetSnapshot?
        do {
            newer = try await newerKeys(at: url, than: known, keyID: keyID)
        } catch {
            // A signature that is wrong by the keys at hand is no outage; a key that is not at hand may be one.
            throw refusal.code == .idTokenSignature ? refusal : error
        }
        guard let newer else { throw refusal }
        return try verify(newer.keys)
    }

    /// Verifies a token that anybody may have sent, as ``verifying(with:keyID:_:)`` does, out of a budget of its own.
    ///
    /// Such a token is refused only once the provider was asked: while that may not be done, nobody can tell a forged one from a
    /// genuine one that is signed with a new key.
    ///
    /// - Parameters:
    ///   - url: The address of the key set.
    ///   - keyID: The token's `kid`.
    ///   - verify: Throws `id_token_key_unknown` or `id_token_signature` when the keys do not do.
    /// - Throws: What `verify` throws; `IdentityError` of another code when the keys cannot be had, or not be asked for again yet.
    package func verifyingUnsolicited<Value>(
        with url: HTTPURL,
        keyID: String?,
        _ verify: (JSONWebKeySet) throws -> Value
    ) async throws -> Value {
        let known = try await keys(at: url)
        do {
            return try verify(known.keys)
        } catch {
            guard Self.mayPass(IdentityError.wrapping(error)) else { throw error }
        }
        let latest = try await strangers.keys(at: url, .newer(than: known, keyID: keyID))
        guard latest.fetch != known.fetch else {
            throw IdentityError(
                .retryLater,
                .discoveryFailed,
                "The token is not signed with a key that is known here, and the provider cannot be asked again yet.",
                hint: "Have it sent again in a minute. If it goes on, somebody floods the address with forged tokens."
            )
        }
        return try verify(latest.keys)
    }

    /// Whether newer keys may verify what was refused.
    private static func mayPass(_ refusal: IdentityError) -> Bool {
        refusal.code == .idTokenKeyUnknown || refusal.code == .idTokenSignature
    }
}
