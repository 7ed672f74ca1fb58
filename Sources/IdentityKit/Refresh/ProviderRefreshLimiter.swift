internal import Synchronization

/// Limits the refreshes of one manager at one provider: how many run at a time, and a pause while the provider fails.
///
/// The circuit breaker opens when the refreshes of several sessions in a row have failed, or when the provider requests a pause.
final class ProviderRefreshLimiter: Sendable {
    enum Observation: Sendable {
        case responded
        case failed(IdentityError, SessionID, isThrottled: Bool)
        case nothing
    }

    private enum Entry: Sendable {
        case mayRun
        case refused(IdentityError)
        /// A drain has begun; the waiting task then creates the error, so that the error has this task's correlation id.
        case draining
    }

    private struct State {
        var running = 0
        var waiting: [CheckedContinuation<Entry, Never>] = []
        var drains = 0
        /// The sessions whose refreshes failed because of the provider, since the last response that showed that the provider works.
        ///
        /// Each session counts once, because one session that always fails does not mean that the provider fails.
        var failed: Set<SessionID> = []
        var breaker = CircuitBreaker()
        /// Whether the provider requested the current pause.
        var isRequested = false
    }

    private let provider: String
    private let limits: SessionManager.RefreshLimits
    private let environment: IdentityEnvironment
    private let state = Mutex(State())

    init(_ provider: String, _ limits: SessionManager.RefreshLimits, in environment: IdentityEnvironment) {
        self.provider = provider
        self.limits = limits
        self.environment = environment
    }

    /// Waits until a refresh may run; when the refresh ends, pass the permit to ``leave(_:after:)``.
    ///
    /// While the breaker is open, throws an error whose cause is the provider's last failure. Throws `refresh_busy` if too many refreshes
    /// wait, or if a drain has begun and the refresh would have to wait.
    func enter() async throws(IdentityError) -> CircuitBreaker.Permit {
        let now = environment.clock.elapsed
        let entry = await withCheckedContinuation { continuation in
            let decision: Entry? = state.withLock { state in
                let mustWait = state.running >= max(1, limits.concurrent)
                if mustWait, state.waiting.count >= limits.waiting { return .refused(Self.tooManyWait) }
                if let error = pauseError(state, now) { return .refused(error) }
                if !mustWait {
                    state.running += 1
                    return .mayRun
                }
                if state.drains > 0 { return .draining }
                state.waiting.append(continuation)
                return nil
            }
            if let decision { continuation.resume(returning: decision) }
        }
        switch entry {
        case .mayRun: break
        case .refused(let error): throw error
        case .draining: throw Self.draining
        }
        // The breaker may have opened while this refresh waited.
        let then = environment.clock.elapsed
        let (permit, refusal) = state.withLock { state -> (CircuitBreaker.Permit, IdentityError?) in
            if let permit = state.breaker.permit(at: then) { return (permit, nil) }
            return (.ordinary, pauseError(state, then))
        }
        guard let refusal else { return permit }
        _ = leave(permit, after: .nothing)
        throw refusal
    }

    /// Ends a refresh, and lets the next waiting refresh run; returns the event if the circuit breaker opened or closed.
    func leave(_ permit: CircuitBreaker.Permit, after observation: Observation) -> IdentityEvent.Kind? {
        let now = environment.clock.elapsed
        let (next, event) = state.withLock { state -> (CheckedContinuation<Entry, Never>?, IdentityEvent.Kind?) in
            state.breaker.release(permit)
            let event = note(observation, &state, now, isProbe: permit.isProbe)
            guard state.waiting.isEmpty else { return (state.waiting.removeFirst(), event) }
            state.running -= 1
            return (nil, event)
        }
        next?.resume(returning: .mayRun)
        return event
    }

    private func note(
        _ observation: Observation,
        _ state: inout State,
        _ now: Duration,
        isProbe: Bool
    ) -> IdentityEvent.Kind? {
        switch observation {
        case .nothing: return nil
        case .responded:
            state.failed = []
            // If the provider requested the pause, only the probe can end it. All other refreshes began before the breaker opened.
            guard isProbe || !state.isRequested || state.breaker.isClosed else { return nil }
            return state.breaker.close() ? .providerResumed : nil
        case .failed(let error, let id, let isThrottled):
            if state.failed.count < max(limits.waiting, limits.failures, 1) { state.failed.insert(id) }
            state.breaker.lastFailure = error
            let requestedPause = isThrottled ? error.retryAfter : nil
            guard state.breaker.isClosed || isProbe else {
                // This refresh began before the breaker opened, so its failure belongs to the same outage.
                if let requestedPause {
                    state.breaker.extend(for: min(requestedPause, limits.maximumPause), at: now)
                    state.isRequested = true
                }
                return nil
            }
            guard requestedPause != nil || state.failed.count >= max(1, limits.failures) || isProbe else { return nil }
            let pause = Backoff.pause(
                after: state.breaker.openings + 1,
                first: limits.pause,
                atLeast: requestedPause,
                atMost: limits.maximumPause,
                random: environment.random
            )
            state.breaker.open(for: pause, at: now)
            state.isRequested = requestedPause != nil
            return .providerPaused(pause)
        }
    }

    /// Refuses all refreshes that have to wait, until ``endDrain()``.
    ///
    /// These refreshes have not claimed their sessions, so another process can refresh the sessions later.
    func beginDrain() {
        let waiting = state.withLock { state in
            state.drains += 1
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: .draining) }
    }

    func endDrain() { state.withLock { $0.drains -= 1 } }

    var isRunning: Bool { state.withLock { $0.running > 0 } }

    /// Whether a new refresh would have to wait or would be refused.
    var delays: Bool { pause != nil || state.withLock { $0.running >= max(1, limits.concurrent) } }

    /// How long refreshes are still paused; nil while they are permitted.
    var pause: Duration? {
        let now = environment.clock.elapsed
        return state.withLock { $0.breaker.wait(at: now) }
    }

    private func pauseError(_ state: State, _ now: Duration) -> IdentityError? {
        guard let wait = state.breaker.wait(at: now) else { return nil }
        let last = state.breaker.lastFailure
        let isConfigurationError = last?.kind == .configuration
        let reason =
            if state.isRequested {
                "because the provider requested a pause"
            } else if state.breaker.openings > 1 {
                "because the first refresh after the last pause failed too"
            } else {
                "because refreshes failed (number of sessions: \(state.failed.count))"
            }
        // Most hints advise to try again, which does not help during the pause. So only the hint of a configuration error is kept.
        return IdentityError(
            isConfigurationError ? .configuration : .retryLater,
            isConfigurationError ? last?.code ?? .providerUnavailable : .providerUnavailable,
            "Refreshes at the provider \"\(provider)\" are paused, \(reason).",
            hint: (isConfigurationError ? last?.hint : nil)
                ?? """
                Try again after the pause, whose length is in the error's retryAfter. To find the reason for the pause, read the error's \
                cause: it is the last failure of a refresh. The pause does not sign buyers out.
                """,
            retryAfter: wait,
            providerResponse: last?.providerResponse,
            cause: last
        )
    }

    private static var draining: IdentityError {
        IdentityError(
            .retryLater,
            .refreshBusy,
            "The refresh did not start: it would have to wait for other refreshes at the provider, and this process is about to end.",
            hint:
                "Try again in another process, or after this process has restarted. This call did not use the refresh token."
        )
    }

    private static var tooManyWait: IdentityError {
        IdentityError(
            .retryLater,
            .refreshBusy,
            "The refresh did not start: the maximum numbers of running and of waiting refreshes at the provider are reached.",
            hint:
                "Try again later. If this error happens often, increase concurrent and waiting in SessionManager.RefreshLimits."
        )
    }
}
