internal import IdentityHTTP
internal import IdentityKit

/// Shares one fetch of a URL between all callers that wait for it.
struct KeySetSingleFlight: KeySetProviding {
    private let cache: KeySetCache
    private let clock: any IdentityClock
    private let flights = SingleFlight<String, KeySetSnapshot>()

    init(_ cache: KeySetCache, clock: any IdentityClock) {
        self.cache = cache
        self.clock = clock
    }

    func keys(at url: HTTPURL, _ requirement: KeySetRequirement) async throws -> KeySetSnapshot {
        if let cached = cache.cached(at: url, for: requirement) { return cached }
        let (snapshot, isOwn) = try await fetch(url, requirement)
        // The shared fetch may have started before the caller's token was signed.
        guard !isOwn, !requirement.isMet(by: snapshot, at: clock.elapsed) else { return snapshot }
        return try await fetch(url, requirement).value
    }

    private func fetch(
        _ url: HTTPURL,
        _ requirement: KeySetRequirement
    ) async throws -> (value: KeySetSnapshot, started: Bool) {
        try await flights.run(url.text) { [cache] in try await cache.keys(at: url, requirement) }
    }
}
