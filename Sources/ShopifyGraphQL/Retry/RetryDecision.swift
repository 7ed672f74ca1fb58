internal import IdentityKit

/// Decides after each attempt of an operation whether another attempt may follow, and after which pause.
struct RetryDecision {
    let limits: RetryLimits
    let repetition: GraphQLDocument.Repetition
    /// When the first attempt began, on the monotonic clock.
    let start: Duration
    private let environment: IdentityEnvironment
    private(set) var count = 0
    private var unknownOutcomes = 0

    init(
        _ limits: RetryLimits,
        _ repetition: GraphQLDocument.Repetition,
        in environment: IdentityEnvironment,
        until deadline: Duration?
    ) {
        let start = environment.clock.elapsed
        var limits = limits
        if let deadline { limits.deadline = min(limits.deadline, max(deadline - start, .milliseconds(1))) }
        self.limits = limits
        self.repetition = repetition
        self.environment = environment
        self.start = start
    }

    var remaining: Duration { start + limits.deadline - environment.clock.elapsed }

    mutating func begin() { count += 1 }

    /// The pause before the next attempt, nil if the operation must not be sent again; `asked` is the wait that the server requests.
    mutating func pause(after effect: GraphQLFailure.Effect, asked: Duration?) -> Duration? {
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
        guard count < limits.attempts else { return nil }
        var pause = randomPause(after: count)
        if let asked {
            // An attempt before the end of the wait would be rejected again. If the wait is too long, the caller gets the error at once.
            guard asked <= limits.maximumRetryAfter else { return nil }
            // The random pause is added, so that clients with the same Retry-After do not all send at the same time.
            pause = asked + min(pause, limits.firstPause)
        }
        return hasTime(after: pause) ? pause : nil
    }

    /// The pause before another attempt after HTTP 430; nil if the limits allow no other attempt.
    func pauseAfterAttack(asked: Duration?) -> Duration? {
        guard count < limits.attempts, asked ?? .zero <= limits.maximumRetryAfter else { return nil }
        let pause = max(asked ?? .zero, limits.firstPause * 2) + randomPause(after: 1)
        return hasTime(after: pause) ? pause : nil
    }

    /// Whether at least a second, or a quarter of a deadline that is shorter than four seconds, remains after this pause.
    ///
    /// With less time, the deadline could end the attempt before Shopify responds, and the outcome would be unknown.
    func hasTime(after pause: Duration = .zero) -> Bool { remaining - pause >= min(.seconds(1), limits.deadline / 4) }

    private func randomPause(after attempts: Int) -> Duration {
        Backoff.pause(
            after: attempts,
            first: limits.firstPause,
            atMost: limits.maximumPause,
            random: environment.random
        )
    }
}
