/// The time at which an event loop checks its deadlines next; never after the earliest deadline.
package struct NextDeadline {
    private var instant: ContinuousClock.Instant?

    package init() {}

    package mutating func note(_ deadline: ContinuousClock.Instant) {
        instant = min(instant ?? deadline, deadline)
    }

    /// Whether the time has come; if so, the time is forgotten, and the loop must note the deadlines that have not passed.
    package mutating func takeIfDue() -> Bool {
        guard let instant, instant <= .now else { return false }
        self.instant = nil
        return true
    }

    /// How long the loop may wait for events, in milliseconds and rounded up; `longest` if no deadline was noted.
    package func timeout(atMost longest: Int32) -> Int32 {
        guard let instant else { return longest }
        // A division of two durations is slow, because Swift converts both to floating-point numbers.
        let (seconds, attoseconds) = (instant - .now).components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let left = Int32(min(seconds, 3_600)) * 1_000 + Int32(attoseconds / 1_000_000_000_000_000)
        return min(longest, left + 1)
    }
}
