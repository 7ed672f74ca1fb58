internal import FoundationEssentials

extension SessionManager {
    /// Begins a step-up: the buyer of a session signs in again, for a more recent or stronger login than the session's login.
    ///
    /// Redirect the browser to the URL and set the binding cookie. ``complete(_:browserBinding:provider:)`` completes the login. The same
    /// buyer has to sign in, and `auth_time` and `acr` of the new ID token have to satisfy the requirement. By default, the
    /// requirement demands that the buyer authenticates now.
    ///
    /// The new session has a new id and gets the attachments of the old session, such as the cart. The old session ends, but its tokens are
    /// not revoked: if a provider keeps one grant for a buyer and a client, the revocation would also invalidate the new tokens. If the
    /// step-up fails, the old session is unchanged.
    ///
    /// ```swift
    /// let started = try await sessions.beginStepUp(of: id, requiring: StepUpRequirement(maximumAge: .seconds(300)))
    /// ```
    ///
    /// - Throws: ``IdentityError``; of kind ``IdentityError/Kind/signInAgain`` when no buyer is signed in to the session, and with
    ///   ``IdentityError/isAttackSuspected`` when the response to the session's last refresh belongs to another login. `complete` throws
    ///   ``IdentityError/Code/idTokenSubject`` for another buyer, ``IdentityError/Code/idTokenAuthentication`` when the new login does not
    ///   satisfy the requirement, and ``IdentityError/Code/sessionUnknown`` when the session no longer exists.
    public func beginStepUp(
        of id: SessionID,
        requiring requirement: StepUpRequirement = StepUpRequirement(),
        options: LoginOptions = LoginOptions()
    ) async throws -> StartedLogin {
        try await Correlation.scope {
            let (stored, tokens) = try await signedInSession(id)
            // Throws if the provider with this name belongs to another tenant than the session.
            _ = try provider(of: stored)
            let options = Self.options(options, for: requirement, of: tokens.buyer, configuration.attemptLifetime)
            return try await begin(stored.provider, options, PendingStepUp(session: id, requirement: requirement))
        }
    }

    private static func options(
        _ options: LoginOptions,
        for requirement: StepUpRequirement,
        of buyer: Buyer,
        _ attemptLifetime: Duration
    ) -> LoginOptions {
        var options = options
        options.loginHint = options.loginHint ?? buyer.email?.value
        // A prompt that the app chose is kept if it contains "login", for example "login consent".
        if requirement.demandsLogin, options.prompt?.split(separator: " ").contains("login") != true {
            options.prompt = "login"
        }
        if !requirement.authenticationContexts.isEmpty {
            options.authenticationContexts = requirement.authenticationContexts
        }
        // With max_age the ID token has to contain auth_time, which shows whether the provider followed prompt=login.
        let age = requirement.maximumAge ?? options.maximumAge
        options.maximumAge = age ?? (requirement.demandsLogin ? attemptLifetime : nil)
        return options
    }

    /// Stores the new session, removes the old session without revoking its tokens, and moves its attachments to the new session.
    func replaceSession(
        _ id: SessionID,
        with tokens: TokenSet,
        by descriptor: ProviderDescriptor
    ) async throws -> Session {
        try await background.run { [self] in
            let started = clock.elapsed
            let session = try await creator.create(for: tokens, by: descriptor, isReplacement: true)
            do {
                try await removeOld(id, for: session, since: started)
            } catch {
                _ = try? await store.remove(session.id)
                throw error
            }
            events.emit(.sessionReplaced, provider: descriptor.name, session: id, since: started)
            participants.notifyRefreshed(session)
            return session
        }
    }

    /// Removes the old session; throws if the first attempt finds no session, or fails with an error whose kind is not `retryLater`.
    ///
    /// After an error of kind `retryLater`, the store may have removed the old session. So the new session stays, and the method tries the
    /// removal again: first during this call, then in the background. If the failed attempt removed the session, its attachments are lost.
    private func removeOld(_ id: SessionID, for session: Session, since started: Duration) async throws {
        do {
            guard let ended = try await removeReplaced(id) else { throw IdentityError.unknownSession }
            return await move(ended, to: session, since: started)
        } catch let error as IdentityError where error.kind == .retryLater {
            // A refresh of the old session may still run. If that refresh finds no session, it must not revoke the tokens that it received,
            // because the revocation could also invalidate the tokens of the new session.
            context.replaced.add(id)
        }
        guard await !removeAgain(id, for: session, since: started, after: [100, 400, 1600]) else { return }
        background.start { [self] in
            _ = await removeAgain(id, for: session, since: started, after: [5000, 15_000, 40_000])
        }
    }

    /// Tries the removal again after each of the pauses, in milliseconds; returns whether the old session is removed.
    private func removeAgain(
        _ id: SessionID,
        for session: Session,
        since started: Duration,
        after pauses: [Int]
    ) async -> Bool {
        for pause in pauses {
            try? await clock.sleep(for: .milliseconds(pause))
            // Errors of any kind are ignored here, because the new session stays.
            guard let ended = try? await removeReplaced(id) as LoggedOutSession?? else { continue }
            if let ended { await move(ended, to: session, since: started) }
            return true
        }
        return false
    }

    /// Moves the attachments of a removed session, except its sign-in record, to the new session.
    ///
    /// The participants get the attachments that cannot be moved, as at a logout. They can then, for example, detach the cart.
    private func move(_ ended: LoggedOutSession, to session: Session, since started: Duration) async {
        var lost: [String: Secret] = [:]
        for (name, value) in ended.attachments where name != SignInRecord.name {
            let isMoved = try? await store.setAttachment(name, to: value, of: session.id, expecting: nil)
            if isMoved != true { lost[name] = value }
        }
        guard !lost.isEmpty else { return }
        var rest = ended
        rest.attachments = lost
        _ = await participants.notifyEnded(rest, since: started)
    }
}

/// Checks that a login proves what a step-up requires.
///
/// A provider may ignore `prompt`, `max_age` and `acr_values` (OpenID Connect Core sections 3.1.2.1 and 5.5.1.1), so the ID token decides.
extension SessionManager {
    /// Checks the new tokens of a step-up; does nothing for an ordinary login.
    ///
    /// Also throws if no buyer is signed in to the old session any more (``signedInSession(_:)``).
    func checkStepUp(_ attempt: LoginAttempt, _ new: TokenSet, at provider: ProviderDescriptor) async throws {
        guard let stepUp = attempt.stepUp else { return }
        let (session, tokens) = try await signedInSession(stepUp.session)
        guard provider.isSamePerson(new.buyer, as: Buyer(issuer: session.issuer, subject: session.subject)) else {
            throw IdentityError(
                .rejected,
                .idTokenSubject,
                "A different buyer signed in: the issuer or the subject differs from the session's.",
                hint: """
                    Ask the buyer to sign in with the account of the session. To use another account, let the buyer sign out first. The \
                    failed step-up did not change the session.
                    """,
                reference: "OpenID Connect Core section 3.1.2.1"
            )
        }
        guard stepUp.requirement.acceptsContext(of: new.claims) else {
            throw Self.failure(
                "the ID token has none of the requested acr values",
                "OpenID Connect Core section 5.5.1.1"
            )
        }
        try Self.checkTime(of: new, stepUp.requirement, startedAt: attempt.createdAt, replacing: tokens)
    }

    private static func checkTime(
        of new: TokenSet,
        _ requirement: StepUpRequirement,
        startedAt: Date,
        replacing old: TokenSet
    ) throws(IdentityError) {
        guard requirement.demandsLogin || requirement.maximumAge != nil else { return }
        let reference = "OpenID Connect Core section 3.1.2.1"
        guard let time = new.authenticatedAt else { throw failure("the ID token has no auth_time", reference) }
        let age = requirement.demandsLogin ? 0 : requirement.maximumAge?.timeInterval ?? 0
        guard time >= startedAt - age - ClockTolerance.seconds else {
            throw failure("the buyer authenticated too long ago (auth_time)", reference)
        }
        // The check above accepts an `auth_time` up to a minute before the step-up, because clocks differ. The session's login may be that
        // recent, so the new `auth_time` must be later than the session's `auth_time`. If the session's `auth_time` is at most a second
        // before the step-up, or later, the two times are not compared. They have whole seconds, so they can be equal although the buyer
        // signed in again.
        if requirement.demandsLogin, let earlier = old.authenticatedAt, earlier < startedAt - 1, time <= earlier {
            throw failure("the buyer did not authenticate again (auth_time)", reference)
        }
    }

    private static func failure(_ problem: String, _ reference: String) -> IdentityError {
        IdentityError(
            .rejected,
            .idTokenAuthentication,
            "The login does not satisfy the step-up: \(problem).",
            hint: """
                Check that the provider supports prompt=login, max_age and acr_values for this client, if the step-up requests them. \
                Check that the provider's ID tokens contain auth_time and acr. Compare this machine's clock with the provider's clock. \
                The failed step-up did not change the session.
                """,
            reference: reference
        )
    }
}
