public import FoundationEssentials
public import IdentityKit
internal import Synchronization

/// A clock that moves when a test advances it or, with `isAdvancedBySleeping`, when a task sleeps.
///
/// ```swift
/// let clock = ManualClock()
/// let environment = IdentityEnvironment(transport: transport, clock: clock)
/// // … sign in …
/// clock.advance(by: .seconds(3_600))  // an access token of one hour has expired
/// ```
public final class ManualClock: IdentityClock {
    private struct State {
        var now: Date
        var elapsed: Duration = .zero
        var sleepers: [Int: (until: Duration, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var nextSleeper = 0
    }

    private let state: Mutex<State>
    private let isAdvancedBySleeping: Bool

    /// Creates a clock at the given time, by default a fixed moment in 2026.
    ///
    /// - Parameters:
    ///   - now: The initial wall-clock time.
    ///   - isAdvancedBySleeping: Whether ``sleep(for:)`` advances the clock and returns at once. Pass true if only one task sleeps, for
    ///     example a device login that polls.
    public init(
        now: Date = Date(timeIntervalSince1970: 1_790_000_000),
        isAdvancedBySleeping: Bool = false
    ) {
        state = Mutex(State(now: now))
        self.isAdvancedBySleeping = isAdvancedBySleeping
    }

    /// The wall-clock time.
    public var now: Date { state.withLock { $0.now } }

    /// The monotonic time.
    public var elapsed: Duration { state.withLock { $0.elapsed } }

    /// Advances the wall-clock time and the monotonic time, and wakes the sleepers that are due.
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

    /// Moves only the wall-clock time, forwards or backwards.
    public func jump(by seconds: TimeInterval) {
        state.withLock { $0.now += seconds }
    }

    /// Waits until a test has advanced the clock by the duration; with `isAdvancedBySleeping`, advances the clock and returns at once.
    ///
    /// - Throws: `CancellationError` when the task was cancelled.
    public func sleep(for duration: Duration) async throws {
        guard !isAdvancedBySleeping else {
            try Task.checkCancellation()
            advance(by: max(duration, .zero))
            // Without this suspension, a loop that only sleeps would keep other tasks from running.
            return await Task.yield()
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
