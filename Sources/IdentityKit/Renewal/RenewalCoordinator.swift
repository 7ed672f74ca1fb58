internal import FoundationEssentials
internal import Synchronization

/// Renews sessions: each alone among tasks, processes and machines, claimed before its token is sent, kept before it is judged,
/// saved before it is handed out.
///
/// Whatever dies, and whenever, the row tells the next one what to do: nothing of an attempt means that nothing was sent; an intent
/// that the answer was lost, so that the same token is sent again, at once, while a provider's grace window may be open; an answer
/// that it has to be judged, without asking again. Documentation/Decisions/0011-renewal.md has the whole table.
final class RenewalCoordinator: Sendable {
    let providers: ProviderRegistry
    let store: any SessionStore
    let environment: IdentityEnvironment
    let lifetime: SessionLifetime
    let configuration: SessionManager.Configuration
    let events: EventSource
    let revocation: TokenRevocation
    let ages: TokenAges
    let pauses: RenewalPauses
    /// What could not be saved yet, and exists nowhere else or in the store's second place.
    let unsaved = Mutex<[SessionID: UnsavedSession]>([:])
    private let gates = Mutex<[String: ProviderGate]>([:])

    init(
        providers: ProviderRegistry,
        store: any SessionStore,
        environment: IdentityEnvironment,
        lifetime: SessionLifetime,
        configuration: SessionManager.Configuration,
        events: EventSource,
        revocation: TokenRevocation
    ) {
        self.providers = providers
        self.store = store
        self.environment = environment
        self.lifetime = lifetime
        self.configuration = configuration
        self.events = events
        self.revocation = revocation
        ages = TokenAges(environment.clock)
        pauses = RenewalPauses(in: environment)
    }

    /// Renews a session, or adopts what somebody else has made of it.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - goal: What for; somebody else's renewal that reaches it is as good as ours.
    ///   - limit: How long to wait for somebody else who is at it.
    func renew(_ id: SessionID, for goal: RenewalGoal, waitingUpTo limit: Duration) async throws -> Renewal {
        guard let locking = store as? any SessionLocking else {
            return try await renew(id, for: goal, under: nil, waitingUpTo: limit)
        }
        let asked = environment.clock.elapsed
        return try await locking.withSessionLock(id, waitingUpTo: limit) { [self] hold in
            let waited = environment.clock.elapsed - asked
            if waited > .milliseconds(10) { events.emit(.lockWaited, provider: "", session: id, since: asked) }
            return try await renew(id, for: goal, under: hold, waitingUpTo: limit - waited)
        }
    }

    private func renew(
        _ id: SessionID,
        for goal: RenewalGoal,
        under hold: SessionHold?,
        waitingUpTo limit: Duration
    ) async throws -> Renewal {
        let started = environment.clock.elapsed
        var goal = goal
        var rounds = 0
        while true {
            guard let stored = try await store.session(id), !lifetime.isOver(stored) else {
                await abandonUnsaved(id)
                throw IdentityError.unknownSession
            }
            let payload = try SessionPayload(stored)
            if let recovered = try await recover(stored, payload, since: started) {
                guard case .replacing = goal, ages.hasExpired(recovered.payload.tokens, of: id),
                    !unsavedSessions.contains(id)
                else { return recovered }
                // What waited for too long serves nobody any more; now that it is saved, it can be renewed.
                goal = .replacing(recovered.payload.tokens)
                continue
            }
            if let end = payload.end { throw IdentityError.ended(end) }
            if goal.isReached(by: payload) {
                return Renewal(stored: stored, payload: payload, outcome: .waited)
            }
            if hold != nil || !isLeased(payload),
                let renewal = try await attempt(stored, payload, under: hold, since: started)
            {
                return renewal
            }
            // Another process is at it, or was faster by a moment: its result is as good as ours.
            rounds += 1
            guard environment.clock.elapsed - started < limit else { throw IdentityError.renewalTakesLong }
            try await environment.clock.sleep(for: .milliseconds(min(20 * rounds, 250)))
        }
    }

    /// Whether another process may still be at the renewal that the row tells of; counts only where the store has no locks.
    ///
    /// Compared without sign: a clock that was set back must not keep a claim alive for ever.
    private func isLeased(_ payload: SessionPayload) -> Bool {
        guard let intent = payload.intent, !intent.isAbandoned else { return false }
        return abs(environment.clock.now.timeIntervalSince(intent.startedAt))
            < configuration.renewalLease.timeInterval
    }

    /// One attempt; nil when another process changed the session at the same moment.
    private func attempt(
        _ stored: StoredSession,
        _ payload: SessionPayload,
        under hold: SessionHold?,
        since started: Duration
    ) async throws -> Renewal? {
        guard payload.tokens.refreshToken != nil else { throw IdentityError.withoutRefreshToken }
        let provider = try providers.provider(named: stored.provider)
        do {
            if let refusal = pauses.refusal(stored.id) { throw refusal }
            let gate = gate(of: stored.provider)
            let place = try await gate.enter()
            var attempt = RenewalAttempt(stored, payload, under: hold)
            let result: Result<Renewal?, any Error>
            do {
                result = .success(try await run(&attempt, at: provider, since: started))
            } catch {
                result = .failure(error)
            }
            let change = gate.leave(place, after: attempt.lesson)
            if let change { events.emit(.breaker(change), provider: stored.provider) }
            let renewal = try result.get()
            if renewal != nil { pauses.succeeded(stored.id) }
            return renewal
        } catch {
            let error = IdentityError.wrapping(error)
            events.emit(
                .renewalFailed(error.code),
                provider: stored.provider,
                session: stored.id,
                since: started
            )
            throw error
        }
    }

    /// Whether an early renewal would come to nothing, so that it is not even tried.
    func holdsBackEarly(_ id: SessionID, of provider: String) -> Bool {
        pauses.holdsBackEarly(id) || gate(of: provider).isOpen
    }

    private func gate(of provider: String) -> ProviderGate {
        gates.withLock { gates in
            if let gate = gates[provider] { return gate }
            let gate = ProviderGate(configuration.renewalLimits, in: environment)
            gates[provider] = gate
            return gate
        }
    }
}
