public import FoundationEssentials

/// A source of time; tests can use a clock that they advance by hand.
public protocol IdentityClock: Sendable {
    /// The wall-clock time; decides when tokens expire.
    var now: Date { get }
    /// The monotonic time since an arbitrary moment; measures deadlines and durations.
    var elapsed: Duration { get }
    /// Waits for a duration; throws `CancellationError` when the task is cancelled.
    func sleep(for duration: Duration) async throws
}

/// The system's clocks.
public struct SystemClock: IdentityClock {
    private static let start = ContinuousClock.now

    /// Creates the clock.
    public init() {}

    /// The system's wall-clock time.
    public var now: Date { Date() }

    /// The time on the continuous clock since this property was first read in the process.
    public var elapsed: Duration { Self.start.duration(to: .now) }

    /// Waits on the continuous clock.
    public func sleep(for duration: Duration) async throws {
        // `Task.sleep` traps for durations close to the longest `Duration`, which a caller may pass as "no limit".
        try await Task.sleep(for: min(duration, Duration.seconds(Int64.max / 4)), clock: .continuous)
    }
}
