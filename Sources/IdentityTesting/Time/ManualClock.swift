public import FoundationEssentials
public import IdentityKit
internal import Synchronization

/// A clock that stands still until a test moves it.
public final class ManualClock: IdentityClock {
    private struct State {
        var now: Date
        var elapsed: Duration = .zero
        var sleepers: [Int: (until: Duration, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var nextSleeper = 0
    }

    private let state: Mutex<State>
    private let isAdvancedBySleeping: Bool

    /// A clock that shows the given time, by default a fixed moment in 2026.
    ///
    /// - Parameters:
    ///   - now: The wall-clock time that it begins with.
    ///   - isAdvancedBySleeping: Whether whoever sleeps moves the clock to the end of the sleep and goes on at once, for code that
    ///     alone waits, such as a login that polls.
    public init(
        now: Date = Date(timeIntervalSince1970: 1_790_000_000),
        isAdvancedBySleeping: Bool = false
    ) {
        state = Mutex(State(now: now))
        self.isAdvancedBySleeping = isAdvancedBySleeping
    }

    /// The wall-clock time.
    public var now: Date { state.withLock { $0.now } }

    /// The time that never jumps.
    public var elapsed: Duration { state.withLock { $0.elapsed } }

    /// Lets time pass, on both clocks, and wakes who slept long enough.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.elapsed += duration
            state.now += duration.timeInterval
            let due = state.sleepers.filter { $0.value.until <= state.elapsed }
            for key in due.keys { state.sleepers[key] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Moves the wall clock only, forwards or backwards, as an operator does.
    public func jump(by seconds: TimeInterval) {
        state.withLock { $0.now += seconds }
    }

    /// Waits until the clock was advanced far enough.
    public func sleep(for duration: Duration) async throws {
        guard !isAdvancedBySleeping else {
            try Task.checkCancellation()
            return advance(by: max(duration, .zero))
        }
        let ticket = state.withLock { state in
            state.nextSleeper += 1
            return state.nextSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let settled: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if duration <= .zero { return .success(()) }
                    state.sleepers[ticket] = (state.elapsed + duration, continuation)
                    return nil
                }
                if let settled { continuation.resume(with: settled) }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: ticket) }?.continuation.resume(
                throwing: CancellationError()
            )
        }
    }
}
