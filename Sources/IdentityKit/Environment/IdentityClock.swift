public import FoundationEssentials

/// The time, injected so that tests can advance it by hand.
public protocol IdentityClock: Sendable {
    /// The wall-clock time, by which tokens expire.
    var now: Date { get }
    /// Time since an arbitrary moment that never jumps, by which deadlines are kept.
    var elapsed: Duration { get }
    /// Waits; throws `CancellationError` when the task is cancelled.
    func sleep(for duration: Duration) async throws
}

/// The system's clocks.
public struct SystemClock: IdentityClock {
    private static let start = ContinuousClock.now

    /// Creates the clock.
    public init() {}

    /// The system's wall-clock time.
    public var now: Date { Date() }

    /// The time on the continuous clock since the process first asked.
    public var elapsed: Duration { ContinuousClock.now - Self.start }

    /// Waits on the continuous clock.
    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration, clock: .continuous)
    }
}
