internal import IdentityKit
internal import Synchronization

/// Limits how often a guest's cart is merged after a failure, because otherwise every request of the buyer would wait for a shop that
/// does not respond.
final class MergePauses: Sendable {
    private static let duration = Duration.seconds(30)
    /// The maximum number of remembered guests; each dropped entry costs one more attempt.
    private static let maximumGuests = 10_000

    private let clock: any IdentityClock
    /// When each guest's pause began, as a time of the monotonic clock.
    private let begun = Mutex<[SessionID: Duration]>([:])

    init(clock: any IdentityClock) {
        self.clock = clock
    }

    /// Begins a pause for a guest's cart after a failed merge.
    func begin(for guest: SessionID) {
        begun.withLock { note(guest, in: &$0) }
    }

    /// Begins a pause before another attempt, so that the buyer's other requests do not wait for that attempt.
    ///
    /// - Returns: False if there is a pause already.
    func beginUnlessPaused(for guest: SessionID) -> Bool {
        begun.withLock { begun in
            if let start = begun[guest], clock.elapsed - start < Self.duration { return false }
            note(guest, in: &begun)
            return true
        }
    }

    /// Ends the pause after a merge.
    func end(for guest: SessionID) {
        begun.withLock { $0[guest] = nil }
    }

    private func note(_ guest: SessionID, in begun: inout [SessionID: Duration]) {
        let now = clock.elapsed
        if begun.count >= Self.maximumGuests { begun = begun.filter { now - $0.value < Self.duration } }
        if begun.count >= Self.maximumGuests { begun = [:] }
        begun[guest] = now
    }
}
