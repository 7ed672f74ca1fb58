internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

/// A clock that ``advance(by:)`` sets ahead of the system's clock, so that tokens expire without a wait.
final class AdjustableClock: IdentityClock {
    private let system = SystemClock()
    private let offset = Mutex<Duration>(.zero)

    var now: Date { system.now.addingTimeInterval(offset.withLock(\.self) / .seconds(1)) }
    var elapsed: Duration { system.elapsed + offset.withLock(\.self) }

    func advance(by duration: Duration) {
        offset.withLock { $0 += duration }
    }

    func sleep(for duration: Duration) async throws {
        try await system.sleep(for: duration)
    }
}
