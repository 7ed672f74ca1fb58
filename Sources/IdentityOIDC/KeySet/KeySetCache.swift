internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// A link in the chain of ``KeySetSource``: it caches the last valid key set.
///
/// Callers of one chain that need the keys of one URL at the same time share one fetch. A failed fetch does not remove the cached keys.
struct KeySetCache: KeySetProviding {
    let next: any KeySetProviding
    let clock: any IdentityClock
    /// The cached keys, which the two chains of ``KeySetSource`` share.
    var lastKnown = LastKnownKeySet()
    let flights = SingleFlight<String, KeySetSnapshot>()

    private func cached(at url: HTTPURL, for requirement: KeySetRequirement) -> KeySetSnapshot? {
        last(at: url).flatMap { requirement.isMet(by: $0, at: clock.elapsed) ? $0 : nil }
    }

    func keys(at url: HTTPURL, _ requirement: KeySetRequirement) async throws -> KeySetSnapshot {
        if let cached = cached(at: url, for: requirement) { return cached }
        let (result, isOwn) = await fetch(url, requirement)
        let snapshot = try result.get()
        // Another caller may have started the fetch before the provider published the key of this caller's token.
        guard !isOwn, !requirement.isMet(by: snapshot, at: clock.elapsed) else { return snapshot }
        return try await fetch(url, requirement).result.get()
    }

    private func fetch(
        _ url: HTTPURL,
        _ requirement: KeySetRequirement
    ) async -> (result: Result<KeySetSnapshot, any Error>, started: Bool) {
        await flights.run(url.text) { [self] in
            // Another caller may have fetched the keys since this caller looked into the cache.
            if let cached = cached(at: url, for: requirement) { return cached }
            return lastKnown.save(try await next.keys(at: url, adapted(requirement, to: last(at: url))))
        }
    }

    private func last(at url: HTTPURL) -> KeySetSnapshot? {
        lastKnown.snapshot.flatMap { $0.url == url ? $0 : nil }
    }

    // If keys are cached, they do not meet the requirement. So the next link must return the result of a later fetch.
    private func adapted(_ requirement: KeySetRequirement, to last: KeySetSnapshot?) -> KeySetRequirement {
        guard let last else { return requirement }
        return switch requirement {
        case .usable, .refreshed: .refreshed(last)
        case .newer(_, let keyID): .newer(than: last, keyID: keyID)
        }
    }
}

final class LastKnownKeySet: Sendable {
    private let stored = Mutex<KeySetSnapshot?>(nil)

    var snapshot: KeySetSnapshot? { stored.withLock { $0 } }

    /// Saves and returns a key set; if a key set of the same URL from a later request is stored, returns the stored key set instead.
    ///
    /// The two chains of ``KeySetSource`` may save in another order than the requests were sent.
    func save(_ latest: KeySetSnapshot) -> KeySetSnapshot {
        stored.withLock { stored in
            if let stored, stored.url == latest.url, stored.fetch > latest.fetch { return stored }
            stored = latest
            return latest
        }
    }
}
