internal import FoundationEssentials
internal import IdentityKit

struct PollSchedule {
    /// The longest pause that a hint of the server can cause, because the time in a hint can be wrong.
    private static let longest = Duration.seconds(60)
    /// The shortest pause between polls, even if the server's hint permits an earlier poll.
    private static let shortest = Duration.milliseconds(100)

    let interval: Duration
    let deadline: Duration

    init(interval: Duration, timeout: Duration, start: Duration) {
        // A duration near the largest one would overflow when a time is added to it.
        let year = Duration.seconds(365 * 86_400)
        self.interval = min(max(interval, Self.shortest), year)
        deadline = start + min(max(timeout, .zero), year)
    }

    func isOver(at elapsed: Duration) -> Bool { elapsed + Self.shortest > deadline }

    /// The pause before the next poll; nil when the next poll would be after the deadline.
    ///
    /// A time in a hint is compared with `serverTime`, the response's `Date`, if known. So a wrong clock of this machine has no effect.
    func pause(hint: PollHint?, serverTime: Date?, now: Date, elapsed: Duration) -> Duration? {
        let pause: Duration =
            switch hint {
            case nil: interval
            case .delay(let delay): Self.bounded(delay)
            case .after(let time): Self.bounded(seconds: time.timeIntervalSince(serverTime ?? now))
            }
        return elapsed + pause <= deadline ? pause : nil
    }

    /// Bounds the seconds before the conversion, because a `Duration` cannot hold every number that a server may send.
    private static func bounded(seconds: TimeInterval) -> Duration {
        bounded(seconds.isFinite ? .seconds(min(max(seconds, 0), 60)) : longest)
    }

    private static func bounded(_ pause: Duration) -> Duration { min(max(pause, shortest), longest) }
}
