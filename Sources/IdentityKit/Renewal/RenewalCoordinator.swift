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
    let reportedAnswers = ReportedAnswers()
    private let claims: ForeignClaims
    /// What could not be saved yet, and exists nowhere else or in the store's second place.
    let unsaved = Mutex<[SessionID: UnsavedSession]>([:])
    private let limiters = Mutex<[String: RefreshLimiter]>([:])

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
        claims = ForeignClaims(environment.clock, longestStep: configuration.repairInterval)
    }

    /// What one look at a session under its lock came to.
    private enum Round: Sendable {
        case renewed(Renewal)
        /// Another process is at it, or was faster by a moment.
        case changed
        /// The row holds a claim of another process that may still have an answer to save.
        case claimed(StoredSession)
    }

    /// Renews a session, or adopts what somebody else has made of it.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - goal: What for; somebody else's renewal that reaches it is as good as ours.
    ///   - limit: How long to wait for another process. Who wants new tokens waits longer where another process may still save some.
    /// - Returns: The tokens and how they were obtained.
    /// - Throws: ``IdentityError`` when there are no valid tokens.
    func renew(_ id: SessionID, for goal: RenewalGoal, waitingUpTo limit: Duration) async throws -> Renewal {
        let started = environment.clock.elapsed
        var deadline = started + limit
        var rounds = 0
        while true {
            switch try await round(id, for: goal, since: started, until: deadline) {
            case .renewed(let renewal):
                claims.forget(id)
                return renewal
            case .changed:
                rounds += 1
                guard environment.clock.elapsed < deadline else { throw IdentityError.renewalTakesLong }
                try await environment.clock.sleep(for: .milliseconds(min(20 * rounds, 250)))
            case .claimed(let claimed):
                if case .replacing = goal { deadline = started + limit + claimWait(claimed) * 2 }
                try await waitForAnswer(to: claimed, until: deadline)
            }
        }
    }

    private func round(
        _ id: SessionID,
        for goal: RenewalGoal,
        since started: Duration,
        until deadline: Duration
    ) async throws -> Round {
        guard let locking = store as? any SessionLocking else {
            return try await round(id, for: goal, under: nil, since: started)
        }
        let asked = environment.clock.elapsed
        return try await locking.withSessionLock(id, waitingUpTo: max(deadline - asked, .zero)) { [self] hold in
            if environment.clock.elapsed - asked > .milliseconds(10) {
                events.emit(.lockWaited, provider: "", session: id, since: asked)
            }
            return try await round(id, for: goal, under: hold, since: started)
        }
    }

    private func round(
        _ id: SessionID,
        for goal: RenewalGoal,
        under lock: SessionHold?,
        since started: Duration
    ) async throws -> Round {
        var goal = goal
        while true {
            guard let stored = try await store.session(id), !lifetime.isOver(stored) else {
                await abandonUnsaved(id)
                throw IdentityError.unknownSession
            }
            let payload = try SessionPayload(stored)
            if let recovered = try await recover(stored, payload, under: lock ?? .kernel, since: started) {
                guard case .replacing = goal, ages.hasExpired(recovered.payload.tokens, of: id),
                    !unsavedSessions.contains(id)
                else { return .renewed(recovered) }
                // What waited for too long serves nobody any more; now that it is saved, it can be renewed.
                goal = .replacing(recovered.payload.tokens)
                continue
            }
            if let end = payload.end { throw IdentityError.ended(end) }
            if goal.isReached(by: payload) {
                return .renewed(Renewal(stored: stored, payload: payload, outcome: .waited))
            }
            if lock == nil, isLeased(payload) { return .changed }
            if mayBeAnswered(payload, lock) {
                guard payload.intent?.isContested ?? false else {
                    return try await contest(stored, payload).map { .claimed($0) } ?? .changed
                }
                if claims.saw(stored) < claimWait(stored) { return .claimed(stored) }
            }
            return try await attempt(stored, payload, under: lock, since: started).map { .renewed($0) } ?? .changed
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

    /// Whether the process that wrote the row's claim may still have an answer to save: the lock does not prove that it is gone.
    private func mayBeAnswered(_ payload: SessionPayload, _ lock: SessionHold?) -> Bool {
        guard let lock, !lock.provesPreviousHolderGone, let intent = payload.intent else { return false }
        return !intent.isAbandoned
    }

    /// Writes into the row that its claim was found; the wait for the holder's answer begins with that.
    ///
    /// While the store refuses writes, the holder cannot save its answer. Time in which no write is known to work must not count.
    ///
    /// - Returns: Nil when another process changed the session at the same moment.
    private func contest(_ stored: StoredSession, _ payload: SessionPayload) async throws -> StoredSession? {
        var payload = payload
        payload.intent?.isContested = true
        payload.reserveAnswer(forNewSession: false)
        var contested = stored
        contested.generation += 1
        contested.payload = payload.secret
        guard try await store.replace(contested, expecting: stored.generation) else { return nil }
        _ = claims.saw(contested)
        return contested
    }

    /// How long a claim is left alone whose holder may be alive: it may have to end its request, and to save the answer, at once or
    /// with its next repair.
    private func claimWait(_ claimed: StoredSession) -> Duration {
        if let wait = configuration.claimWait { return wait }
        let timeout = (try? providers.provider(named: claimed.provider))?.descriptor.timeout
        return (timeout ?? .seconds(15)) + Self.savingLimit + configuration.repairInterval
    }

    /// Waits until the row has changed, or the claim has been left alone for long enough.
    ///
    /// Without the lock: its holder needs it to save what it has.
    private func waitForAnswer(to claimed: StoredSession, until deadline: Duration) async throws {
        while true {
            guard environment.clock.elapsed < deadline else { throw IdentityError.renewalTakesLong }
            try await environment.clock.sleep(for: .milliseconds(250))
            let found: StoredSession?
            do {
                found = try await store.session(claimed.id)
            } catch {
                // A store that cannot be read adds nothing to the wait.
                continue
            }
            guard found?.generation == claimed.generation, claims.saw(claimed) < claimWait(claimed) else { return }
        }
    }

    /// One attempt; nil when another process changed the session at the same moment.
    private func attempt(
        _ stored: StoredSession,
        _ payload: SessionPayload,
        under lock: SessionHold?,
        since started: Duration
    ) async throws -> Renewal? {
        guard payload.tokens.refreshToken != nil else { throw IdentityError.withoutRefreshToken }
        let provider = try providers.provider(named: stored.provider)
        do {
            if let refusal = pauses.refusal(stored.id) { throw refusal }
            let limiter = limiter(of: stored.provider)
            let permit = try await limiter.enter()
            var attempt = RenewalAttempt(stored, payload, under: lock)
            let result: Result<Renewal?, any Error>
            do {
                result = .success(try await run(&attempt, at: provider, since: started))
            } catch {
                result = .failure(error)
            }
            let change = limiter.leave(permit, after: attempt.lesson)
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
        pauses.holdsBackEarly(id) || limiter(of: provider).isOpen
    }

    private func limiter(of provider: String) -> RefreshLimiter {
        limiters.withLock { limiters in
            if let limiter = limiters[provider] { return limiter }
            let limiter = RefreshLimiter(configuration.renewalLimits, in: environment)
            limiters[provider] = limiter
            return limiter
        }
    }
}
