extension SessionManager {
    /// Completes a login in a web app: checks the callback, exchanges the code for tokens and stores the session.
    ///
    /// The pending login is removed from the store before the code is sent. So each callback works only once among all processes. After an
    /// error, even of kind ``IdentityError/Kind/retryLater``, begin a new login.
    ///
    /// - Parameters:
    ///   - callback: The parameters of the callback.
    ///   - browserBinding: The binding cookie of the browser that sent the callback.
    ///   - provider: The provider whose redirect URI received the callback, if each provider has a separate one, as RFC 9700 section 4.4
    ///     advises. If the value is nil, the method refuses a callback that another provider (of any tenant) could have sent, unless the
    ///     callback's `iss` (RFC 9207) is the issuer of the login. It also refuses a callback whose path differs from the redirect URI's.
    /// - Returns: The new session and the return path.
    /// - Throws: ``IdentityError``: of kind ``IdentityError/Kind/rejected`` for a callback that is malformed, unknown, repeated or expired,
    ///   or belongs to another browser or provider; with code ``IdentityError/Code/accessDenied`` when the buyer or the provider denied
    ///   access; or the error of the provider or the store.
    public func complete(
        _ callback: LoginCallback,
        browserBinding: Secret?,
        provider: String? = nil
    ) async throws -> CompletedLogin {
        try await complete(
            callback,
            browserBinding: browserBinding,
            provider: provider,
            noteReturnPath: { _ in },
            admitting: nil
        )
    }

    /// Completes a login, and calls `admit` before the session is stored; if `admit` throws, the login fails.
    ///
    /// `noteReturnPath` gets the checked return path before the code is exchanged, so that the caller has the path even if the login fails.
    ///
    /// If `admit` is not nil, `browserBinding` must come from the cookie that is named after ``LoginCallback/attemptID``. With this cookie,
    /// an unknown `state` is not reported as an attack: the browser may have repeated its own callback, for example by a reload.
    package func complete(
        _ callback: LoginCallback,
        browserBinding: Secret?,
        provider expectedProvider: String?,
        noteReturnPath: @Sendable (String?) -> Void,
        admitting admit: Admission?
    ) async throws -> CompletedLogin {
        try await Correlation.scope {
            let started = clock.elapsed
            var name = expectedProvider ?? ""
            do {
                var callback = callback
                let mayBeRepeated = admit != nil && browserBinding != nil
                var attempt = try await take(&callback, browserBinding, mayBeRepeatedCallback: mayBeRepeated)
                name = attempt.provider
                try attempt.checkExpiry(at: clock.now)
                try refuseCallbackOfAnotherProvider(callback, for: attempt, receivedFor: expectedProvider)
                // The return path is checked again, because the process that began the login may have another policy.
                var returnPath = try attempt.returnPath.map(configuration.returnPaths.location(for:))
                noteReturnPath(returnPath)
                let provider = try providers.provider(ofStored: attempt.provider, tenant: attempt.tenant)
                // If the session has ended since the step-up began, the step-up fails here, before the code is sent.
                if let stepUp = attempt.stepUp {
                    let old = try await signedInSession(stepUp.session).stored
                    attempt.steppedUpBuyer = Buyer(issuer: old.issuer, subject: old.subject)
                }
                // `exchange` compares `state` and `iss` (`AuthorizationResponse`) and the nonce (`IDTokenValidator`) with the attempt.
                let tokens = try await provider.exchange(callback, for: attempt)
                let (descriptor, kept) = (provider.descriptor, attempt.steppedUpBuyer)
                let session = try await revocation.revokingOnFailure(tokens, of: descriptor, keeping: kept) {
                    try await checkStepUp(attempt, tokens, at: descriptor)
                    // `admit` may end the browser's old session, so it runs after the check: a failed step-up must keep that session.
                    let admitted = try await admit?(tokens, descriptor.tenant, returnPath)
                    returnPath = admitted?.firstPage ?? returnPath
                    guard let old = attempt.stepUp?.session else {
                        let replaces = admitted?.isReplacement ?? false
                        return try await creator.create(for: tokens, by: descriptor, isReplacement: replaces)
                    }
                    return try await replaceSession(old, with: tokens, by: descriptor)
                }
                events.emit(.loginCompleted, provider: name, session: session.id, since: started)
                return CompletedLogin(session: session, returnPath: returnPath, replaced: attempt.stepUp?.session)
            } catch {
                throw events.failed(IdentityEvent.Kind.loginFailed, error, provider: name, since: started)
            }
        }
    }

    /// Stores a posted callback with its login attempt, until the browser sends a GET request with only the `state`.
    ///
    /// With the GET, the browser sends all cookies of the app; with the post from the provider's site, only those with `SameSite=None`.
    /// This method ignores errors with code `state_unknown`, because the GET request that follows decides whether the login fails.
    package func keepPosted(_ callback: LoginCallback, browserBinding: Secret?, provider: String) async throws {
        try await Correlation.scope {
            let started = clock.elapsed
            do {
                // A cancelled request must not lose the login attempt, which is out of the store for a moment.
                try await background.run { [self] in
                    var callback = callback
                    var attempt = try await take(&callback, browserBinding)
                    try attempt.checkExpiry(at: clock.now)
                    try refuseCallbackOfAnotherProvider(callback, for: attempt, receivedFor: provider)
                    attempt.postedCallback = callback.fields
                    try await putBack(attempt.stored())
                }
            } catch let error as IdentityError where error.code == .stateUnknown {
                return
            } catch {
                throw events.failed(IdentityEvent.Kind.loginFailed, error, provider: provider, since: started)
            }
        }
    }

    /// Stores a login attempt that was taken out of the store; tries three times, because the login fails without the attempt.
    private func putBack(_ attempt: StoredLoginAttempt) async throws {
        for pause in [100, 400] {
            do {
                return try await store.insert(attempt)
            } catch let error as IdentityError where error.kind == .retryLater {
                try? await clock.sleep(for: .milliseconds(pause))
            }
        }
        try await store.insert(attempt)
    }

    /// Takes the login attempt of a callback out of the store; if this method refuses the callback, the attempt stays in the store.
    ///
    /// If ``keepPosted(_:browserBinding:provider:)`` has stored a posted callback, `callback` must contain only a `state`, and the posted
    /// callback replaces it.
    private func take(
        _ callback: inout LoginCallback,
        _ browserBinding: Secret?,
        mayBeRepeatedCallback: Bool = false
    ) async throws -> LoginAttempt {
        let state = try callback.state()
        let isBare = callback.fields.count == 1
        let taken = try await StoredLoginAttempt.take(try LoginAttempt.key(for: state), from: store) {
            [visible] stored in
            let attempt = try LoginAttempt(stored)
            guard visible.serves(tenant: attempt.tenant, of: attempt.provider) else { throw Self.unknownState() }
            try Self.checkBrowser(of: attempt, browserBinding)
            guard isBare == (attempt.postedCallback != nil) else { throw Self.unexpectedParameters(isBare: isBare) }
            return attempt
        }
        guard let attempt = taken else { throw Self.unknownState(isAttackSuspected: !mayBeRepeatedCallback) }
        if let posted = attempt.postedCallback { callback = LoginCallback(posted: posted) }
        return attempt
    }

    private static func unknownState(isAttackSuspected: Bool = true) -> IdentityError {
        IdentityError(
            .rejected,
            .stateUnknown,
            "No pending login waits for this callback.",
            hint: """
                Start the login again. The callback's state was used before, has expired, was removed from the store or was never issued \
                with this store and tenant.
                """,
            reference: "RFC 6749 section 10.12",
            isAttackSuspected: isAttackSuspected
        )
    }

    private static func unexpectedParameters(isBare: Bool) -> IdentityError {
        IdentityError(
            .rejected,
            .stateUnknown,
            isBare
                ? "The callback contains only a state, and no posted callback is stored for its login."
                : "The callback contains more than a state, although a posted callback is already stored for its login.",
            hint: isBare
                ? "Start the login again. If the new login fails too, let the app pass the whole query or form of the callback to the SDK."
                : "Start the login again. If this error happens often, look for forged callbacks in the app's access log.",
            reference: "RFC 6749 section 10.12",
            isAttackSuspected: true
        )
    }

    private static func checkBrowser(of attempt: LoginAttempt, _ browserBinding: Secret?) throws(IdentityError) {
        guard BrowserBinding.matches(attempt.browserBindingHash, cookie: browserBinding) else {
            throw IdentityError(
                .rejected,
                .browserMismatch,
                "The callback came without the binding cookie of its login. It may belong to another login, or come from another browser.",
                hint: """
                    Start the login again in one browser, and use only the callback of the new login. If the new login fails too, check \
                    the app: the response that redirects to the provider must set the binding cookie for the host of the redirect URI. \
                    If the provider posts the callback, the cookie needs SameSite=None and Secure. Pass the cookie to `complete`.
                    """,
                reference: "RFC 9700 section 4.7",
                isAttackSuspected: true
            )
        }
    }
}
