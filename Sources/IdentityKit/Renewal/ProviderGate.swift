internal import Synchronization

/// Keeps a provider from being run over: so many renewals at a time, and none for a while when it fails.
///
/// The breaker opens after some failures in a row, or when the provider itself asks for a pause. Then one probe goes through; what
/// becomes of it decides for all (half open).
final class ProviderGate: Sendable {
    /// What a renewal taught about the provider as a whole.
    enum Outcome: Sendable {
        case answered
        case failed(IdentityError, SessionID, isThrottled: Bool)
        case nothing
    }

    /// What the breaker did.
    enum Change: Sendable, Equatable {
        case opened(Duration)
        case closed
    }

    /// A place inside.
    struct Place: Sendable {
        fileprivate let isProbe: Bool
    }

    private struct State {
        var inside = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// The sessions whose renewals failed since the last answer: one that always fails says nothing about the others.
        var failed: Set<SessionID> = []
        /// How often the breaker has opened since the last answer.
        var openings = 0
        /// Until when nobody goes through, while the breaker is open.
        var openUntil: Duration?
        var isProbing = false
        var lastFailure: IdentityError?
    }

    private let limits: SessionManager.RenewalLimits
    private let environment: IdentityEnvironment
    private let state = Mutex(State())

    init(_ limits: SessionManager.RenewalLimits, in environment: IdentityEnvironment) {
        self.limits = limits
        self.environment = environment
    }

    /// Waits for a free place.
    ///
    /// - Throws: What the provider failed with last, while the breaker is open; `renewal_busy` when too many wait already.
    func enter() async throws(IdentityError) -> Place {
        let now = environment.clock.elapsed
        if let refusal = state.withLock({ $0.waiting.count >= limits.waiting ? Self.crowded : self.refusal($0, now) }) {
            throw refusal
        }
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.inside < max(1, limits.concurrent) else {
                    state.waiting.append(continuation)
                    return false
                }
                state.inside += 1
                return true
            }
            if isFree { continuation.resume() }
        }
        // Those who were before us may have opened the breaker.
        let then = environment.clock.elapsed
        let (isProbe, refusal) = state.withLock { state -> (Bool, IdentityError?) in
            if let refusal = self.refusal(state, then) { return (false, refusal) }
            let isProbe = state.openUntil != nil
            if isProbe { state.isProbing = true }
            return (isProbe, nil)
        }
        guard let refusal else { return Place(isProbe: isProbe) }
        _ = leave(Place(isProbe: false), after: .nothing)
        throw refusal
    }

    /// Gives the place to the next one, and learns from what happened.
    func leave(_ place: Place, after outcome: Outcome) -> Change? {
        let now = environment.clock.elapsed
        let (next, change) = state.withLock { state -> (CheckedContinuation<Void, Never>?, Change?) in
            if place.isProbe { state.isProbing = false }
            let change = learn(outcome, &state, now, isProbe: place.isProbe)
            guard state.waiting.isEmpty else { return (state.waiting.removeFirst(), change) }
            state.inside -= 1
            return (nil, change)
        }
        next?.resume()
        return change
    }

    private func learn(_ outcome: Outcome, _ state: inout State, _ now: Duration, isProbe: Bool) -> Change? {
        switch outcome {
        case .nothing: return nil
        case .answered:
            let wasOpen = state.openUntil != nil
            state.failed = []
            state.openings = 0
            state.openUntil = nil
            state.lastFailure = nil
            return wasOpen ? .closed : nil
        case .failed(let error, let id, let isThrottled):
            if state.failed.count < limits.waiting { state.failed.insert(id) }
            state.lastFailure = error
            let asked = isThrottled ? error.retryAfter : nil
            if state.openUntil != nil, !isProbe {
                // Those who were inside when it opened: one outage, one opening.
                guard let asked, let openUntil = state.openUntil else { return nil }
                state.openUntil = max(openUntil, now + min(asked, limits.maximumPause))
                return nil
            }
            guard asked != nil || state.failed.count >= max(1, limits.failures) || isProbe else { return nil }
            state.openings += 1
            let pause = Backoff.pause(
                after: state.openings,
                first: limits.pause,
                atLeast: asked,
                atMost: limits.maximumPause,
                random: environment.random
            )
            state.openUntil = now + pause
            return .opened(pause)
        }
    }

    /// Whether nobody goes through at the moment.
    var isOpen: Bool {
        let now = environment.clock.elapsed
        return state.withLock { self.refusal($0, now) != nil }
    }

    private func refusal(_ state: State, _ now: Duration) -> IdentityError? {
        guard let openUntil = state.openUntil, openUntil > now || state.isProbing else { return nil }
        let last = state.lastFailure
        let isOurs = last?.kind == .configuration
        return IdentityError(
            isOurs ? .configuration : .retryLater,
            isOurs ? last?.code ?? .providerUnavailable : .providerUnavailable,
            "The provider has failed for \(state.failed.count) sessions in a row, or asked for a pause, and is not asked for a while.",
            hint: last?.hint ?? "Try again in a while. Sessions are kept.",
            retryAfter: max(openUntil - now, .milliseconds(100)),
            providerAnswer: last?.providerAnswer,
            cause: last
        )
    }

    private static var crowded: IdentityError {
        IdentityError(
            .retryLater,
            .renewalBusy,
            "Too many renewals wait for the provider.",
            hint: "Try again in a while, or allow for more at a time."
        )
    }
}
