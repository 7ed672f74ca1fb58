internal import IdentityKit

/// The attempts at one operation: whether another may follow, and after which pause.
struct RetryAttempts {
    let policy: RetryPolicy
    let repetition: GraphQLDocument.Repetition
    /// When the first began, on the clock that never jumps.
    let start: Duration
    /// How many there were.
    private(set) var count = 0
    /// How many of them ended without anybody knowing what became of the operation.
    private var unknownOutcomes = 0

    /// - Parameter deadline: When the caller wants an answer at the latest; the policy's own deadline counts too.
    init(
        _ policy: RetryPolicy,
        _ repetition: GraphQLDocument.Repetition,
        start: Duration,
        until deadline: Duration? = nil
    ) {
        var policy = policy
        if let deadline { policy.deadline = min(policy.deadline, max(deadline - start, .milliseconds(1))) }
        self.policy = policy
        self.repetition = repetition
        self.start = start
    }

    /// How much of the time for everything is left.
    func remaining(at now: Duration) -> Duration { start + policy.deadline - now }

    mutating func begin() { count += 1 }

    /// The pause before the next attempt; nil where none may follow.
    ///
    /// - Parameters:
    ///   - effect: What the failed attempt did.
    ///   - asked: How long the server asks to wait.
    mutating func pause(
        after effect: GraphQLFailure.Effect,
        asked: Duration?,
        now: Duration,
        random: any RandomSource
    ) -> Duration? {
        switch effect {
        case .refused, .attack: return nil
        case .none: break
        case .unknown:
            unknownOutcomes += 1
            switch repetition {
            case .always: break
            case .once: guard unknownOutcomes == 1 else { return nil }
            case .afterReading, .never: return nil
            }
        }
        guard count < policy.attempts else { return nil }
        var pause = Backoff.pause(
            after: count,
            first: policy.firstPause,
            atMost: policy.maximumPause,
            random: random
        )
        if let asked {
            // Earlier than asked is no use, and longer than the caller waits is none either.
            guard asked <= policy.maximumRetryAfter else { return nil }
            // The part of chance on top: whoever was told the same number comes back at different moments.
            pause = asked + min(pause, policy.firstPause)
        }
        return fits(pause, at: now) ? pause : nil
    }

    /// The pause before the one attempt that may follow HTTP 430; nil where none may.
    func pauseAfterAttack(asked: Duration?, now: Duration, random: any RandomSource) -> Duration? {
        guard count < policy.attempts, asked ?? .zero <= policy.maximumRetryAfter else { return nil }
        let chance = Backoff.pause(after: 1, first: policy.firstPause, atMost: policy.maximumPause, random: random)
        let pause = max(asked ?? .zero, policy.firstPause * 2) + chance
        return fits(pause, at: now) ? pause : nil
    }

    /// Whether an attempt that begins now has a chance: one that is cut off at once leaves nothing but doubt.
    func hasTime(at now: Duration) -> Bool { remaining(at: now) >= min(.seconds(1), policy.deadline / 4) }

    private func fits(_ pause: Duration, at now: Duration) -> Bool { hasTime(at: now + pause) }
}
