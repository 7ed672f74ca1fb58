internal import FoundationEssentials

/// Re-authenticates the buyers of existing sessions: a login whose session replaces the old one.
struct StepUpCoordinator: Sendable {
    let visible: VisibleSessions
    let refresher: TokenRefresher
    let creator: SessionCreator
    let logouts: LogoutCoordinator
    let participants: SessionParticipants
    let revocation: TokenRevocation
    let attemptLifetime: Duration
    let clock: any IdentityClock
    let events: EventSource

    /// A session that can be stepped up, with its tokens.
    ///
    /// - Throws: `IdentityError` of kind ``IdentityError/Kind/signInAgain`` when there is no such session, when nobody is signed in,
    ///   and when the session has ended; of kind ``IdentityError/Kind/rejected`` when the answer to its last refresh belongs to
    ///   another login.
    func session(_ id: SessionID) async throws -> (stored: StoredSession, tokens: TokenSet) {
        let stored = try await visible.load(id)
        let state = try SessionState(stored)
        guard state.endReason == nil, let tokens = state.tokens else {
            throw IdentityError.ended(state.endReason ?? .guest)
        }
        // A step-up would give the cart of such a session to the new one.
        if let verdict = refresher.pendingAnswer(to: tokens, of: id, state)?.verdict {
            throw IdentityError.standing(verdict)
        }
        return (stored, tokens)
    }

    /// The options of a login that meets the requirement.
    func options(_ options: LoginOptions, for requirement: StepUpRequirement, of buyer: Buyer) -> LoginOptions {
        var options = options
        options.loginHint = options.loginHint ?? buyer.email?.value
        if requirement.demandsLogin { options.prompt = "login" }
        if !requirement.authenticationContexts.isEmpty {
            options.authenticationContexts = requirement.authenticationContexts
        }
        // With max_age the ID token has to contain auth_time, which shows whether the provider followed prompt=login.
        let age = requirement.maximumAge ?? options.maximumAge
        options.maximumAge = age ?? (requirement.demandsLogin ? attemptLifetime : nil)
        return options
    }

    /// Checks new tokens and replaces the session.
    ///
    /// If that fails, the new tokens are revoked, because no session uses them.
    func complete(
        _ stepUp: PendingStepUp,
        with tokens: TokenSet,
        startedAt: Date,
        by descriptor: ProviderDescriptor,
        admitting admit: () async throws -> Void
    ) async throws -> Session {
        do {
            let old = try await session(stepUp.session)
            let check = StepUpCheck(
                requirement: stepUp.requirement,
                startedAt: startedAt,
                session: old.stored,
                tokens: old.tokens
            )
            try check.check(tokens)
            // Only now, because `admit` may end the browser's old session, and a failed step-up must change nothing.
            try await admit()
            return try await outlivingCaller { await replace(stepUp.session, tokens, descriptor) }.get()
        } catch {
            await outlivingCaller { [revocation] in await revocation.drop(tokens, of: descriptor.name) }
            throw error
        }
    }

    /// Stores the new session and removes the old one, whose attachments the new one gets.
    ///
    /// The old tokens are not revoked: many providers keep one grant for a buyer and a client, and revoking an old token of it
    /// invalidates the new ones.
    private func replace(
        _ id: SessionID,
        _ tokens: TokenSet,
        _ descriptor: ProviderDescriptor
    ) async -> Result<Session, any Error> {
        let started = clock.elapsed
        let session: Session
        do { session = try await creator.create(for: tokens, by: descriptor) } catch { return .failure(error) }
        do {
            // Nil after a logout or another step-up of the same session: neither may leave a second session behind.
            guard let ended = try await logouts.take(id) else { throw IdentityError.unknownSession }
            await move(ended, to: session, since: started)
            events.emit(.sessionReplaced, provider: descriptor.name, session: id, since: started)
            participants.follow(session)
            return .success(session)
        } catch {
            _ = try? await visible.store.remove(session.id)
            return .failure(error)
        }
    }

    /// Moves the attachments of the old session to the new one.
    ///
    /// Attachments that cannot be moved are detached as at a logout.
    private func move(_ ended: EndedSession, to session: Session, since started: Duration) async {
        var lost: [String: Secret] = [:]
        for (name, value) in ended.attachments where name != SignInRecord.name {
            let isMoved = try? await visible.store.setAttachment(name, to: value, of: session.id, expecting: nil)
            if isMoved != true { lost[name] = value }
        }
        guard !lost.isEmpty else { return }
        let rest = EndedSession(session: ended.session, tokens: nil, attachments: lost, wasOver: ended.wasOver)
        _ = await participants.tellEnd(of: rest, since: started)
    }
}
