internal import IdentityHTTP
internal import IdentityKit

/// Keeps the last good keys; a failure behind it takes nothing away.
struct KeySetCache: KeySetProviding {
    private let next: any KeySetProviding
    private let clock: any IdentityClock
    private let memory: LastKnownKeySet

    /// - Parameter memory: Where the keys are kept; chains that share it find each other's.
    init(_ next: any KeySetProviding, clock: any IdentityClock, memory: LastKnownKeySet = LastKnownKeySet()) {
        self.next = next
        self.clock = clock
        self.memory = memory
    }

    /// What is at hand and meets the demand.
    func remembered(at url: HTTPURL, for demand: KeySetRequirement) -> KeySetSnapshot? {
        last(at: url).flatMap { demand.isMet(by: $0, at: clock.elapsed) ? $0 : nil }
    }

    func keys(at url: HTTPURL, _ demand: KeySetRequirement) async throws -> KeySetSnapshot {
        if let remembered = remembered(at: url, for: demand) { return remembered }
        let snapshot = try await next.keys(at: url, rebased(demand, on: last(at: url)))
        memory.keep(snapshot)
        return snapshot
    }

    private func last(at url: HTTPURL) -> KeySetSnapshot? {
        memory.last.flatMap { $0.url == url ? $0 : nil }
    }

    /// The same demand, seen from the keys that are at hand.
    private func rebased(_ demand: KeySetRequirement, on last: KeySetSnapshot?) -> KeySetRequirement {
        guard let last else { return demand }
        return switch demand {
        case .usable, .refreshed: .refreshed(last)
        case .newer(_, let keyID): .newer(than: last, keyID: keyID)
        }
    }
}
