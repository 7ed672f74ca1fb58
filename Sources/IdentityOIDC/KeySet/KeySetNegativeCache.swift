internal import IdentityCrypto
internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// Stores for one minute each `kid` that the fetched key set lacks, so that further tokens with this `kid` cause no fetch.
///
/// The cache stores the digests of at most ``capacity`` key ids, and removes the oldest first. After the provider has changed its keys,
/// the stored digests are ignored.
final class KeySetNegativeCache: KeySetProviding {
    private struct State {
        var revision: Int?
        /// The unknown key ids, the oldest first.
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

    var count: Int { state.withLock { $0.unknown.count } }

    func keys(at url: HTTPURL, _ requirement: KeySetRequirement) async throws -> KeySetSnapshot {
        guard case .newer(let known, let keyID?) = requirement else { return try await next.keys(at: url, requirement) }
        let digest = try Digest.sha256(Array(keyID.utf8))
        let now = clock.elapsed
        let isUnknown = state.withLock { state in
            state.revision == known.revision && state.unknown.contains { $0.until > now && $0.digest == digest }
        }
        if isUnknown { return known }
        let snapshot = try await next.keys(at: url, requirement)
        // The key id is stored only after a new fetch, because cached keys do not prove that the provider lacks the key.
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
