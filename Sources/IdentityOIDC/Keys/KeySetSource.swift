package import IdentityHTTP
internal import IdentityKit

/// A provider's keys: kept as long as its answers let them, fetched once for all who wait, never lost to an outage, and not to be
/// used as a lever against the provider.
///
/// A chain of small parts, each of which does one of these (`Documentation/Decisions/0008-key-set.md`).
package struct KeySetSource: Sendable {
    private let chain: any KeySetProviding

    /// - Parameters:
    ///   - channel: How the provider is called.
    ///   - provider: The provider's name, for events.
    ///   - headers: What to send beside `Accept`.
    package init(channel: ProviderChannel, provider: String, headers: [(name: String, value: String)] = []) {
        let clock = channel.environment.clock
        let reporter = KeySetReporter(environment: channel.environment, provider: provider)
        let fetch = KeySetReporting(KeySetFetch(channel: channel, headers: headers), reporter: reporter)
        let paused = KeySetRetryPause(fetch, clock: clock)
        let budgeted = KeySetRefetchBudget(paused, clock: clock, reporter: reporter)
        let tolerant = KeySetOutageTolerance(budgeted, clock: clock)
        let shared = KeySetSingleFlight(KeySetCache(tolerant, clock: clock), clock: clock)
        chain = KeySetRefreshAhead(KeySetUnknownKeys(shared, clock: clock), clock: clock)
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
        guard refusal.code == .idTokenKeyUnknown || refusal.code == .idTokenSignature else { throw refusal }
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
}
