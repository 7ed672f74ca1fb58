internal import IdentityCrypto
internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// Remembers for a minute which `kid`s the provider was asked about in vain, so that one token sent again and again does not eat
/// the budget of all others.
///
/// Bounded: digests, of the last few. Forgotten at once when the keys change.
final class KeySetNegativeCache: KeySetProviding {
    private struct State {
        var revision: Int?
        /// In the order in which they are forgotten.
        var unknown: [(digest: [UInt8], until: Duration)] = []
    }

    static let window = Duration.seconds(60)
    static let capacity = 64

    private let next: any KeySetProviding
    private let clock: any IdentityClock
    private let state = Mutex(State())

    init(_ next: any KeySetProviding, clock: any IdentityClock) {
        self.next = next
        self.clock = clock
    }

    /// How many are remembered.
    var count: Int { state.withLock { $0.unknown.count } }

    func keys(at url: HTTPURL, _ demand: KeySetRequirement) async throws -> KeySetSnapshot {
        guard case .newer(let known, let keyID?) = demand else { return try await next.keys(at: url, demand) }
        let digest = try Digest.sha256(Array(keyID.utf8))
        let now = clock.elapsed
        let isUnknown = state.withLock { state in
            state.revision == known.revision && state.unknown.contains { $0.until > now && $0.digest == digest }
        }
        if isUnknown { return known }
        let snapshot = try await next.keys(at: url, demand)
        // Only what a fetch has shown is known to be unknown.
        if snapshot.fetch != known.fetch, !snapshot.keys.contains(keyID: keyID) {
            remember(digest, snapshot.revision, now: clock.elapsed)
        }
        return snapshot
    }

    private func remember(_ digest: [UInt8], _ revision: Int, now: Duration) {
        state.withLock { state in
            if state.revision != revision { state = State(revision: revision) }
            state.unknown.removeAll { $0.until <= now || $0.digest == digest }
            if state.unknown.count >= Self.capacity { state.unknown.removeFirst() }
            state.unknown.append((digest, now + Self.window))
        }
    }
}
