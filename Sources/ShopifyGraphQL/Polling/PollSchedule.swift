internal import FoundationEssentials
internal import IdentityKit

/// When to ask next.
struct PollSchedule {
    /// What a hint may ask for at most: a wrong time must put nobody to sleep.
    private static let longest = Duration.seconds(60)
    /// What a hint may ask for at least: a time that has passed is no leave to hammer.
    private static let shortest = Duration.milliseconds(100)

    let interval: Duration
    /// When it is given up, on the clock that never jumps.
    let deadline: Duration

    /// Whether time is over, or as good as over.
    func isOver(at elapsed: Duration) -> Bool { elapsed + Self.shortest > deadline }

    /// The pause before the next poll; nil where that would be after the deadline.
    ///
    /// - Parameters:
    ///   - hint: When the server wants to be asked.
    ///   - serverTime: When it answered, by its own clock; with it, no difference between its clock and ours counts.
    func pause(hint: PollHint?, serverTime: Date?, now: Date, elapsed: Duration) -> Duration? {
        let pause: Duration =
            switch hint {
            case nil: interval
            case .delay(let delay): Self.bounded(delay)
            case .after(let time): Self.bounded(Self.duration(time.timeIntervalSince(serverTime ?? now)))
            }
        return elapsed + pause <= deadline ? pause : nil
    }

    /// Within an hour, because a `Duration` cannot hold every number that a server may send.
    private static func duration(_ seconds: TimeInterval) -> Duration {
        seconds.isFinite ? .seconds(min(max(seconds, -3600), 3600)) : longest
    }

    private static func bounded(_ pause: Duration) -> Duration { min(max(pause, shortest), longest) }
}
