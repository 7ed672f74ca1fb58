import FoundationEssentials
import IdentityKit
import Synchronization

/// A clock whose `elapsed` returns each given time once and otherwise zero, so that two reads differ.
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
