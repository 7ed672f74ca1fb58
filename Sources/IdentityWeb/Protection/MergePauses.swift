internal import IdentityKit
internal import Synchronization

/// Limits how often the routes try to merge a guest's cart into the buyer's cart.
///
/// Without this limit, every request of the buyer would start another merge and wait for it while the shop does not respond.
final class MergePauses: Sendable {
    private enum Merge {
        case running
        /// The time of the failure, on the monotonic clock.
        case failed(Duration)
    }

    private static let duration = Duration.seconds(30)

    private let clock: any IdentityClock
    /// The running or failed merge of each guest; if an entry is evicted, the next merge of its guest may begin at once.
    private let merges = Mutex(BoundedTable<SessionID, Merge>(maximum: 10_000))

    init(clock: any IdentityClock) {
        self.clock = clock
    }

    /// Notes the start of a merge and returns true, or returns false if the merge must not start now.
    ///
    /// A merge must not start while another merge of this guest runs, or within 30 seconds after a merge of this guest failed. With
    /// `isForced`, it may always start.
    func begin(for guest: SessionID, isForced: Bool = false) -> Bool {
        let now = clock.elapsed
        return merges.withLock { merges in
            let mustWait =
                switch merges[guest] {
                case .running: true
                case .failed(let time): now - time < Self.duration
                case nil: false
                }
            guard isForced || !mustWait else { return false }
            merges.insert(.running, for: guest) {
                if case .failed(let time) = $0 { now - time >= Self.duration } else { false }
            }
            return true
        }
    }

    /// Notes the end of a merge; if `isMerged` is false, a pause of 30 seconds begins for this guest.
    func end(for guest: SessionID, isMerged: Bool) {
        let now = clock.elapsed
        merges.withLock { merges in
            if isMerged { merges.remove(guest) } else { merges.insert(.failed(now), for: guest) }
        }
    }
}
