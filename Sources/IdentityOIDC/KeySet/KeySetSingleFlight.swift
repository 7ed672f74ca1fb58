internal import IdentityHTTP
internal import IdentityKit

/// Has one fetch of an address under way for all who ask meanwhile.
struct KeySetSingleFlight: KeySetProviding {
    private let cache: KeySetCache
    private let clock: any IdentityClock
    private let flights = SingleFlight<String, KeySetSnapshot>()

    init(_ cache: KeySetCache, clock: any IdentityClock) {
        self.cache = cache
        self.clock = clock
    }

    func keys(at url: HTTPURL, _ demand: KeySetRequirement) async throws -> KeySetSnapshot {
        if let remembered = cache.remembered(at: url, for: demand) { return remembered }
        let (snapshot, isOwn) = try await fly(url, demand)
        // A flight that was under way may have left before the caller's token was signed.
        guard !isOwn, !demand.isMet(by: snapshot, at: clock.elapsed) else { return snapshot }
        return try await fly(url, demand).value
    }

    private func fly(
        _ url: HTTPURL,
        _ demand: KeySetRequirement
    ) async throws -> (value: KeySetSnapshot, started: Bool) {
        try await flights.run(url.text) { [cache] in try await cache.keys(at: url, demand) }
    }
}
