internal import FoundationEssentials

/// Re-authenticates the buyer of an existing session with a new login, whose session replaces the old one.
struct StepUpCoordinator: SessionService {
    let context: SessionContext

    /// The options of a login that asks the provider to meet the requirement.
    func options(_ options: LoginOptions, for requirement: StepUpRequirement, of buyer: Buyer) -> LoginOptions {
        var options = options
        options.loginHint = options.loginHint ?? buyer.email?.value
        if requirement.demandsLogin { options.prompt = "login" }
        if !requirement.authenticationContexts.isEmpty {
            options.authenticationContexts = requirement.authenticationContexts
        }
        // With max_age the ID token has to contain auth_time, which shows whether the provider followed prompt=login.
        let age = requirement.maximumAge ?? options.maximumAge
        options.maximumAge = age ?? (requirement.demandsLogin ? configuration.attemptLifetime : nil)
        return options
    }

    /// Stores the new session, removes the old one, and moves the old session's attachments, except its sign-in record, to the new one.
    ///
    /// The old tokens are not revoked (``TokenRevocation/revoke(_:of:)``).
    func replace(_ id: SessionID, with tokens: TokenSet, by descriptor: ProviderDescriptor) async throws -> Session {
        try await background.run {
            let started = clock.elapsed
            let session = try await creator.create(for: tokens, by: descriptor, isReplacement: true)
            do {
                try await removeOld(id, for: session, since: started)
            } catch {
                _ = try? await visible.store.remove(session.id)
                throw error
            }
            events.emit(.sessionReplaced, provider: descriptor.name, session: id, since: started)
            participants.notifyRefreshed(session)
            return session
        }
    }

    /// Removes the old session.
    ///
    /// After an error of kind `retryLater`, the store may have removed the old session. So the new session stays, and the removal is tried
    /// again for some seconds, and then for a minute in the background. If the old session was already removed, its attachments are lost,
    /// because the failed call did not return them.
    ///
    /// - Throws: `IdentityError` if the first attempt fails with another kind than `retryLater`, or if it finds no session, because a
    ///   logout or another step-up has ended the session first.
    private func removeOld(_ id: SessionID, for session: Session, since started: Duration) async throws {
        do {
            guard let ended = try await logouts.takeReplaced(id) else { throw IdentityError.unknownSession }
            return await move(ended, to: session, since: started)
        } catch let error as IdentityError where error.kind == .retryLater {
            // A refresh of the old session that still runs must not revoke its new tokens, even if it finds that the session was removed.
            context.replaced.add(id)
        }
        guard await !removeAgain(id, for: session, since: started, after: [100, 400, 1600]) else { return }
        background.start { [self] in
            _ = await removeAgain(id, for: session, since: started, after: [5000, 15_000, 40_000])
        }
    }

    /// Tries the removal again after each of these pauses, in milliseconds.
    ///
    /// - Returns: Whether the old session is removed.
    private func removeAgain(
        _ id: SessionID,
        for session: Session,
        since started: Duration,
        after pauses: [Int]
    ) async -> Bool {
        for pause in pauses {
            try? await clock.sleep(for: .milliseconds(pause))
            // Errors of any kind are ignored here: the new session stays.
            guard let ended = try? await logouts.takeReplaced(id) as LoggedOutSession?? else { continue }
            if let ended { await move(ended, to: session, since: started) }
            return true
        }
        return false
    }

    /// Moves the attachments of the old session to the new one.
    ///
    /// Attachments that cannot be moved are passed to the participants, as at a logout, so that they detach the cart, for example.
    private func move(_ ended: LoggedOutSession, to session: Session, since started: Duration) async {
        var lost: [String: Secret] = [:]
        for (name, value) in ended.attachments where name != SignInRecord.name {
            let isMoved = try? await visible.store.setAttachment(name, to: value, of: session.id, expecting: nil)
            if isMoved != true { lost[name] = value }
        }
        guard !lost.isEmpty else { return }
        let rest = LoggedOutSession(
            session: ended.session,
            newest: nil,
            attachments: lost,
            hadExpired: ended.hadExpired
        )
        _ = await participants.notifyEnded(rest, since: started)
    }
}
