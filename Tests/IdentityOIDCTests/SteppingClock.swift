import FoundationEssentials
import IdentityKit
import Synchronization

/// A clock that shows some moments once before it stands still: so a test can have time pass between two looks at it.
final class SteppingClock: IdentityClock {
    private let moments = Mutex<[Duration]>([])

    var now: Date { Date(timeIntervalSince1970: 1_790_000_000) }

    var elapsed: Duration {
        moments.withLock { $0.isEmpty ? .zero : $0.removeFirst() }
    }

    func show(once moment: Duration) {
        moments.withLock { $0.append(moment) }
    }

    func sleep(for duration: Duration) async throws {}
}
