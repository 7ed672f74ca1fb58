internal import IdentityCrypto
package import IdentityHTTP
package import IdentityKit
internal import Synchronization

/// Gets and caches a provider's keys.
///
/// Concurrent logins share one fetch, and so do concurrent logout tokens. The rate of fetches is limited. If fetches fail, expired keys
/// stay usable until two days after the provider last confirmed them. `Documentation/Decisions/0008-key-set.md` explains the rules.
package final class KeySetSource: Sendable {
    struct FlightKey: Hashable {
        let url: String
        let origin: TokenOrigin
    }

    /// The running fetches; a login does not wait if the keys are fetched again for a logout token that the known keys do not verify.
    let flights = SingleFlight<FlightKey, KeySetSnapshot>()
    private let memory = Mutex(KeySetMemory())
    private let fetcher: KeySetFetcher
    private let environment: IdentityEnvironment
    private let provider: String

    package init(httpClient: ProviderHTTPClient, provider: String) {
        fetcher = KeySetFetcher(httpClient: httpClient, provider: provider)
        environment = httpClient.environment
        self.provider = provider
    }

    private var now: Duration { environment.clock.elapsed }

    package var state: KeySetState {
        guard let snapshot = memory.withLock({ $0.last }) else { return .notFetched }
        let age = now - snapshot.confirmedAt
        // `freshUntil` is not compared: during an outage it moves into the future although the keys have expired.
        return age < snapshot.lifetime ? .fresh(age: age) : .expired(age: age)
    }

    /// Usable keys; if they expire soon, a fetch starts in the background, so that later logins do not wait for it.
    package func keys(at url: HTTPURL) async throws -> KeySetSnapshot {
        // Most calls end here.
        if let known = cached(at: url, .current) { return known }
        let snapshot = try await keys(at: url, .usable, for: .requested)
        if snapshot.isDue(at: now) {
            flights.start(FlightKey(url: url.text, origin: .requested)) { [self] in
                try await fetch(url, .current, for: .requested)
            }
        }
        return snapshot
    }

    /// Newer keys, for a token that the known keys do not verify; nil if none are found, for example because no fetch is permitted now.
    package func newerKeys(at url: HTTPURL, than known: KeySetSnapshot, keyID: String?) async throws -> KeySetSnapshot?
    {
        guard known.url == url else { return try await keys(at: url) }
        let snapshot = try await keys(at: url, newerThan: known, keyID: keyID, for: .requested)
        return snapshot.revision == known.revision ? nil : snapshot
    }

    /// Newer keys, which may lack the `kid`; the known keys if no newer keys are found, for example because no fetch is permitted now.
    private func keys(
        at url: HTTPURL,
        newerThan known: KeySetSnapshot,
        keyID: String?,
        for origin: TokenOrigin
    ) async throws -> KeySetSnapshot {
        let digest = try keyID.map { try Digest.sha256(Array($0.utf8)) }
        let isUnknown = memory.withLock { memory in
            digest.map { memory.refetches[origin]?.isUnknown($0, in: known.revision, at: now) ?? false } ?? false
        }
        if isUnknown { return known }
        let snapshot = try await keys(at: url, .newer(than: known, keyID: keyID), for: origin)
        // The key id is stored only after a new fetch, because cached keys do not prove that the provider lacks the key.
        if let keyID, let digest, snapshot.fetch != known.fetch, !snapshot.keys.contains(keyID: keyID) {
            memory.withLock { memory in
                let limiter = KeySetRefetchLimiter()
                memory.refetches[origin, default: limiter].remember(digest, in: snapshot.revision, at: now)
            }
        }
        return snapshot
    }

    /// Cached or fetched keys; with ``KeySetRequirement/newer(than:keyID:)``, the result may not meet the requirement.
    private func keys(
        at url: HTTPURL,
        _ requirement: KeySetRequirement,
        for origin: TokenOrigin,
        hasJoined: Bool = false
    ) async throws -> KeySetSnapshot {
        if let cached = cached(at: url, requirement) { return cached }
        let (result, isOwn) = await flights.run(FlightKey(url: url.text, origin: origin)) { [self] in
            try await fetch(url, requirement, for: origin)
        }
        switch result {
        case .success(let snapshot):
            // Another caller may have started the fetch before the provider published the key of this caller's token.
            if isOwn || hasJoined || requirement.isMet(by: snapshot, at: now) { return snapshot }
            return try await keys(at: url, requirement, for: origin, hasJoined: true)
        case .failure(let error):
            // After a failed fetch, expired keys are usable for a while.
            guard let cached = cached(at: url, requirement) else { throw error }
            return cached
        }
    }

    private func fetch(
        _ url: HTTPURL,
        _ requirement: KeySetRequirement,
        for origin: TokenOrigin
    ) async throws -> KeySetSnapshot {
        // Another caller may have fetched the keys since this caller looked into the cache.
        if let cached = cached(at: url, requirement) { return cached }
        let rejected = requirement.rejected
        if let rejected {
            let start = now
            let (isPermitted, isFirstRefusal) = memory.withLock { memory in
                memory.refetches[origin, default: KeySetRefetchLimiter()].take(at: start)
            }
            // Only the first refusal after a permitted fetch is reported, so that a flood does not fill the log.
            if isFirstRefusal { environment.report(.keySetRefetchRefused, provider: provider, since: start) }
            guard isPermitted else { return last(at: url) ?? rejected }
        }
        do {
            try memory.withLock { try $0.startFetch(of: url, at: now) }
            let known = last(at: url) ?? rejected
            let latest = try await fetcher.keys(at: url, after: known, bypassingCaches: rejected != nil)
            return memory.withLock { $0.save(latest) }
        } catch {
            memory.withLock { memory in
                memory.fail(url, with: error, at: now)
                if rejected != nil { memory.refetches[origin]?.refund() }
            }
            throw error
        }
    }

    private func cached(at url: HTTPURL, _ requirement: KeySetRequirement) -> KeySetSnapshot? {
        let now = now
        return last(at: url).flatMap { requirement.isMet(by: $0, at: now) ? $0 : nil }
    }

    private func last(at url: HTTPURL) -> KeySetSnapshot? {
        memory.withLock { $0.last }.flatMap { $0.url == url ? $0 : nil }
    }

    /// Verifies a token with the known keys, and with newer keys if the known keys do not verify it.
    ///
    /// `verify` must throw `id_token_key_unknown` or `id_token_signature` when the keys do not verify the token. The token may still be
    /// genuine, because the provider may have added a key, or replaced a key under the same `kid`. So if the fetch of newer keys fails,
    /// this function throws the error of the fetch.
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
            let latest = try await keys(at: url, newerThan: known, keyID: keyID, for: .unsolicited)
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

private enum KeySetRequirement: Sendable {
    /// Keys that are not expired.
    case usable
    /// Keys that do not expire soon.
    case current
    /// Newer keys, because the known keys do not verify a token with this `kid`; `keyID` is nil for a token without `kid`.
    case newer(than: KeySetSnapshot, keyID: String?)

    /// The keys that do not verify the token.
    var rejected: KeySetSnapshot? {
        if case .newer(let known, _) = self { known } else { nil }
    }

    func isMet(by snapshot: KeySetSnapshot, at now: Duration) -> Bool {
        switch self {
        case .usable: now < snapshot.freshUntil
        case .current: !snapshot.isDue(at: now)
        case .newer(let known, let keyID):
            snapshot.revision != known.revision && keyID.map { snapshot.keys.contains(keyID: $0) } ?? true
        }
    }
}
