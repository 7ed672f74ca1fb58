internal import FoundationEssentials

extension RenewalCoordinator {
    /// Claims the session, sends its refresh token, keeps the answer, judges it and saves what it holds.
    ///
    /// - Returns: Nil when another process changed the session before anything was sent.
    func run(
        _ attempt: inout RenewalAttempt,
        at provider: any IdentityProvider,
        since started: Duration
    ) async throws -> Renewal? {
        do {
            try await (provider as? any JournaledRefreshing)?.prepareRefresh(of: attempt.old.tokens)
        } catch {
            let error = IdentityError.wrapping(error)
            attempt.lesson = .failed(error, attempt.base.id, isThrottled: false)
            pauses.failed(attempt.base.id, with: error)
            throw error
        }
        guard attempt.hold.isHeld else { throw IdentityError.lockLost }
        guard try await claim(&attempt) else { return nil }
        let tokens: TokenSet
        do {
            tokens = try await exchange(&attempt, at: provider)
        } catch {
            return try await settle(&attempt, after: error)
        }
        attempt.lesson = .answered
        let renewal = try await promote(
            tokens,
            over: attempt.base,
            was: attempt.old,
            under: attempt.lock ?? .kernel,
            patience: .full
        )
        if renewal.outcome != .waited {
            if attempt.isInDoubt {
                events.emit(.renewalRepaired, provider: attempt.base.provider, session: attempt.base.id, since: started)
            }
            events.emit(
                .renewed(renewal.outcome),
                provider: attempt.base.provider,
                session: attempt.base.id,
                since: started
            )
        }
        return renewal
    }

    /// Writes the intent first: it proves that the store can take the write, and tells the next one that an answer was lost.
    ///
    /// - Returns: False when another process changed the session at the same moment.
    private func claim(_ attempt: inout RenewalAttempt) async throws -> Bool {
        var payload = attempt.old
        let intent = RenewalIntent(
            attempt: Correlation.current ?? "",
            startedAt: environment.clock.now,
            count: (payload.intent?.count ?? 0) + 1
        )
        payload.intent = intent
        payload.answer = nil
        payload.reserveAnswer(forNewSession: false)
        let started = environment.clock.elapsed
        var claimed = attempt.base
        claimed.generation += 1
        claimed.isUnsettled = true
        claimed.payload = payload.secret
        guard try await store.replace(claimed, expecting: attempt.base.generation) else { return false }
        attempt.base = claimed
        attempt.intent = intent
        if attempt.lock == nil {
            // Without locks the claim itself is the lease; half of it is left to the exchange.
            let end = started + configuration.renewalLease / 2
            attempt.hold = SessionHold { [clock = environment.clock] in end - clock.elapsed }
        }
        return true
    }

    /// The provider's answer, judged.
    ///
    /// One that was lost on the way is asked for once more at once: inside a provider's grace window the same token works again.
    private func exchange(_ attempt: inout RenewalAttempt, at provider: any IdentityProvider) async throws -> TokenSet {
        var isSecond = false
        // A request that is given up early may leave the session in doubt, so each begins with its whole time before it.
        let needed = provider.descriptor.timeout ?? .milliseconds(1)
        while true {
            // The lock may be lost by now, and its next holder at work with the same token.
            guard attempt.hold.remaining.map({ $0 >= needed }) ?? true else {
                throw RefreshRefusal(.transient, .lockLost)
            }
            do {
                return try await exchangeOnce(&attempt, at: provider)
            } catch let refusal as RefreshRefusal where refusal.kind == .inDoubt {
                attempt.isInDoubt = true
                events.emit(.renewalInDoubt, provider: attempt.base.provider, session: attempt.base.id)
                guard !isSecond else { throw refusal }
                isSecond = true
                // The row holds the useless answer, which any process may validate at once. It has to show a claim again before the
                // refresh token is sent again.
                if attempt.isAnswerStored {
                    guard try await claim(&attempt) else { throw IdentityError.lockLost }
                    attempt.isAnswerStored = false
                }
            }
        }
    }

    private func exchangeOnce(
        _ attempt: inout RenewalAttempt,
        at provider: any IdentityProvider
    ) async throws -> TokenSet {
        guard let journaling = provider as? any JournaledRefreshing else {
            do { return try await provider.refresh(attempt.old.tokens) } catch { throw RefreshRefusal(error) }
        }
        let answer = try await journaling.requestRefresh(of: attempt.old.tokens, under: attempt.hold)
        await keep(answer, &attempt)
        return try await judge(answer, of: attempt.old.tokens, at: journaling)
    }

    /// Saves an answer before it is judged; where that fails, it is kept in memory until its tokens are saved.
    private func keep(_ answer: RefreshAnswer, _ attempt: inout RenewalAttempt) async {
        var payload = attempt.old
        payload.intent = attempt.intent
        // Whoever finds it may judge it as well as we: nothing is sent for that.
        payload.intent?.isAbandoned = true
        payload.answer = answer
        var kept = attempt.base
        kept.generation += 1
        kept.payload = payload.secret
        let started = environment.clock.elapsed
        do {
            if try await replace(kept, over: attempt.base.generation, patience: .none) {
                attempt.base = kept
                attempt.isAnswerStored = true
                attempt.unkeptAnswer = nil
            } else {
                // Another process has changed the row. If it did not bring newer tokens, this answer is still needed.
                attempt.unkeptAnswer = answer
            }
        } catch {
            attempt.unkeptAnswer = answer
            events.emit(
                .storeFailed(IdentityError.code(of: error)),
                provider: attempt.base.provider,
                session: attempt.base.id,
                since: started
            )
        }
    }

    /// Judges an answer.
    ///
    /// - Throws: ``RefreshRefusal`` when it contains no token, ``UnjudgedAnswer`` when it may contain one.
    func judge(
        _ answer: RefreshAnswer,
        of tokens: TokenSet,
        at provider: any JournaledRefreshing
    ) async throws -> TokenSet {
        do {
            return try await provider.tokens(from: answer, refreshing: tokens)
        } catch let refusal as RefreshRefusal {
            throw refusal
        } catch {
            throw UnjudgedAnswer(answer: answer, error: IdentityError.wrapping(error).withKeptAnswer)
        }
    }

    /// Leaves the session as a failed attempt has to leave it.
    ///
    /// - Returns: What another process has made of it meanwhile.
    private func settle(_ attempt: inout RenewalAttempt, after error: any Error) async throws -> Renewal {
        let id = attempt.base.id
        if let unjudged = error as? UnjudgedAnswer {
            attempt.lesson = .answered
            if let answer = attempt.unkeptAnswer { await setAside(answer, attempt) }
            pauses.failed(id, with: unjudged.error)
            // The attempt's own event reports it; repairs do not repeat that.
            reportedAnswers.insert(unjudged.error.code, of: unjudged.answer, for: id)
            throw unjudged.error
        }
        let refusal = RefreshRefusal(error)
        if refusal.concernsProvider {
            attempt.lesson = .failed(refusal.error, id, isThrottled: refusal.kind == .throttled)
        } else if refusal.kind != .transient {
            attempt.lesson = .answered
        }
        if refusal.kind == .invalidGrant { return try await bury(attempt, after: refusal.error) }
        pauses.failed(id, with: refusal.error)
        await giveBack(attempt)
        throw refusal.error
    }

    /// Ends a claim that came to nothing: the row says again that all is well, or that the session is in doubt and nobody at it.
    ///
    /// A failure is none of the caller's: a claim that stays is a doubt that the next attempt clears up. A holder that lost its lock
    /// writes nothing.
    private func giveBack(_ attempt: RenewalAttempt) async {
        guard attempt.lock?.isHeld ?? true else { return }
        var payload = attempt.old
        payload.answer = nil
        payload.intent = attempt.isInDoubt ? attempt.intent : nil
        payload.intent?.isAbandoned = true
        // The row says already that the session is in doubt, to whoever gets a lock that proves that we are gone.
        if attempt.isInDoubt, let lock = attempt.lock, lock.provesPreviousHolderGone { return }
        var released = attempt.base
        released.generation += 1
        released.isUnsettled = attempt.isInDoubt
        released.payload = payload.secret
        _ = try? await store.replace(released, expecting: attempt.base.generation)
    }

    /// The provider calls the refresh token dead.
    ///
    /// Another process may have been faster; if not, only a login helps. The row stays, with the reason.
    private func bury(_ attempt: RenewalAttempt, after error: IdentityError) async throws -> Renewal {
        let id = attempt.base.id
        let reason = attempt.isInDoubt ? SessionEndReason.lostRotation : .revoked
        while true {
            guard let current = try await store.session(id) else { throw IdentityError.unknownSession }
            var payload = try SessionPayload(current)
            guard payload.tokens.isSameIssue(as: attempt.old.tokens) else {
                if let end = payload.end { throw IdentityError.ended(end) }
                return Renewal(stored: current, payload: payload, outcome: .waited)
            }
            if payload.answer != nil, current.generation != attempt.base.generation {
                // Somebody else has an answer, and has not judged it yet.
                throw IdentityError.renewalTakesLong
            }
            // A holder that lost its lock changes nothing but its own claim.
            guard attempt.lock?.isHeld ?? true || current.generation == attempt.base.generation else {
                throw IdentityError.lockLost
            }
            payload.end = reason
            payload.intent = nil
            payload.answer = nil
            var ended = current
            ended.generation += 1
            ended.isUnsettled = false
            ended.payload = payload.secret
            // Judged anew when the row has changed: it may hold new tokens by now.
            guard try await store.replace(ended, expecting: current.generation) else { continue }
            events.emit(.sessionEnded(reason), provider: current.provider, session: id)
            throw IdentityError.ended(reason, because: error)
        }
    }
}

/// An answer that could not be judged to the end: there may be tokens in it, and it is kept.
struct UnjudgedAnswer: Error {
    let answer: RefreshAnswer
    let error: IdentityError
}
