internal import FoundationEssentials

/// Begins and completes logins with a redirect.
struct LoginCoordinator: Sendable {
    let known: KnownSessions
    /// The providers of all tenants: any of them may send a browser to a callback of this one.
    let possibleSenders: ProviderRegistry
    let timeouts: ProviderTimeouts
    let creator: SessionCreator
    let stepUps: StepUpCoordinator
    let environment: IdentityEnvironment
    let attemptLifetime: Duration
    let returnPaths: ReturnPathPolicy
    let events: EventSource

    func begin(
        _ provider: String,
        options: LoginOptions,
        stepUp: PendingStepUp? = nil
    ) async throws -> StartedLogin {
        let binding = try BrowserBinding(random: environment.random)
        let request = try await start(provider, options, binding, stepUp)
        return StartedLogin(
            url: request.url,
            browserBinding: binding.cookie,
            expiresAt: request.attempt.expiresAt,
            attemptID: try LoginAttempt.id(for: request.attempt.state),
            responseMode: request.attempt.responseMode
        )
    }

    /// Begins a login that replaces a session.
    func beginStepUp(
        of id: SessionID,
        requiring requirement: StepUpRequirement,
        options: LoginOptions
    ) async throws -> StartedLogin {
        let (stored, tokens) = try await stepUps.session(id)
        let options = stepUps.options(options, for: requirement, of: tokens.buyer)
        let stepUp = PendingStepUp(session: id, requirement: requirement)
        return try await begin(stored.provider, options: options, stepUp: stepUp)
    }

    func start(
        _ name: String,
        _ options: LoginOptions,
        _ binding: BrowserBinding,
        _ stepUp: PendingStepUp? = nil
    ) async throws -> AuthorizationRequest {
        let started = environment.clock.elapsed
        let provider = try known.providers.provider(named: name)
        try timeouts.check(provider)
        let returnPath = try options.returnPath.map(returnPaths.location(for:))
        var request = try await provider.authorizationRequest(options)
        request.attempt.returnPath = returnPath
        request.attempt.createdAt = environment.clock.now
        request.attempt.expiresAt = request.attempt.createdAt + attemptLifetime.timeInterval
        request.attempt.tenant = provider.descriptor.tenant
        request.attempt.browserBindingHash = binding.hash
        request.attempt.stepUp = stepUp
        try await known.store.insert(request.attempt.stored())
        events.emit(.loginStarted, provider: name, since: started)
        return request
    }

    func complete(
        _ callback: LoginCallback,
        browserBinding: Secret?,
        provider expectedProvider: String?,
        admitting admit: AdmissionCheck? = nil
    ) async throws -> CompletedLogin {
        let started = environment.clock.elapsed
        var name = expectedProvider ?? ""
        do {
            var callback = callback
            let attempt = try await take(&callback, browserBinding)
            name = attempt.provider
            try check(attempt, expectedProvider)
            // An app that names the provider knows where the callback arrived, also behind a proxy that changes paths.
            if expectedProvider == nil {
                try checkSender(of: callback, attempt)
                try Self.checkAddress(of: callback, attempt)
            }
            // Judged again, by the policy of the process that hands it out.
            let returnPath = try attempt.returnPath.map(returnPaths.location(for:))
            let provider = try known.providers.provider(ofStored: attempt.provider)
            // A session that has ended meanwhile is not replaced: its step-up ends before the code is sent.
            if let stepUp = attempt.stepUp { _ = try await stepUps.session(stepUp.session) }
            let tokens = try await provider.exchange(callback, for: attempt)
            let session = try await save(tokens, for: attempt, by: provider.descriptor) {
                try await admit?(tokens, provider.descriptor.tenant, returnPath)
            }
            events.emit(.loginCompleted, provider: name, session: session.id, since: started)
            return CompletedLogin(session: session, returnPath: returnPath, replaced: attempt.stepUp?.session)
        } catch {
            events.emit(.loginFailed(IdentityError.code(of: error)), provider: name, since: started, because: error)
            throw IdentityError.wrapping(error)
        }
    }

    /// Keeps a posted callback, sealed and bound to the browser, until the browser comes back with GET and all of its cookies.
    func keepPosted(_ callback: LoginCallback, browserBinding: Secret?, provider: String) async throws {
        let started = environment.clock.elapsed
        do {
            var callback = callback
            var attempt = try await take(&callback, browserBinding)
            try check(attempt, provider)
            attempt.postedCallback = callback.fields
            try await known.store.insert(attempt.stored())
        } catch {
            events.emit(.loginFailed(IdentityError.code(of: error)), provider: provider, since: started)
            throw IdentityError.wrapping(error)
        }
    }

    private func save(
        _ tokens: TokenSet,
        for attempt: LoginAttempt,
        by descriptor: ProviderDescriptor,
        admitting admit: () async throws -> Void
    ) async throws -> Session {
        guard let stepUp = attempt.stepUp else {
            return try await creator.createOrRevoke(for: tokens, by: descriptor, admitting: admit)
        }
        return try await stepUps.complete(
            stepUp,
            with: tokens,
            startedAt: attempt.createdAt,
            by: descriptor,
            admitting: admit
        )
    }

    /// Takes the attempt of a callback that comes from the browser in which the attempt began; another one ends no attempt.
    ///
    /// A callback with nothing but a `state` becomes the posted one that was kept for it, or ends no attempt.
    private func take(_ callback: inout LoginCallback, _ browserBinding: Secret?) async throws -> LoginAttempt {
        guard let state = try callback.value(of: "state"), !state.isEmpty else {
            throw IdentityError(
                .rejected,
                .stateInvalid,
                "The callback has no state.",
                hint: "Start the login again; a callback without state is forged or cut short.",
                reference: "RFC 6749 section 4.1.2",
                isAttackSuspected: true
            )
        }
        let isBare = callback.fields.count == 1
        let taken = try await known.store.takeLoginAttempt(try LoginAttempt.key(for: state)) { stored in
            let attempt = try LoginAttempt(stored)
            guard known.isOurs(tenant: attempt.tenant, of: attempt.provider) else { throw Self.unknownState }
            try Self.check(attempt, browserBinding)
            guard isBare == (attempt.postedCallback != nil) else { throw Self.unknownState }
        }
        guard let taken else { throw Self.unknownState }
        let attempt = try LoginAttempt(taken)
        if let posted = attempt.postedCallback { callback = LoginCallback(posted: posted) }
        return attempt
    }

    private static var unknownState: IdentityError {
        IdentityError(
            .rejected,
            .stateUnknown,
            "The callback's state belongs to no pending login.",
            hint: "It was used before, has expired, or was never issued here. Start the login again.",
            reference: "RFC 6749 section 10.12",
            isAttackSuspected: true
        )
    }

    private func check(_ attempt: LoginAttempt, _ expectedProvider: String?) throws(IdentityError) {
        guard attempt.expiresAt > environment.clock.now else {
            throw IdentityError(
                .rejected,
                .attemptExpired,
                "The login took too long.",
                hint: "Start the login again."
            )
        }
        guard expectedProvider.map({ $0.isIdentical(to: attempt.provider) }) ?? true else {
            throw IdentityError(
                .rejected,
                .responseIssuerMismatch,
                "The callback reached another provider's redirect URI.",
                hint: "Give each provider a redirect URI of its own.",
                reference: "RFC 9700 section 4.4.2.2",
                isAttackSuspected: true
            )
        }
    }

    /// Refuses a callback at another path than that of the login's redirect URI.
    private static func checkAddress(of callback: LoginCallback, _ attempt: LoginAttempt) throws(IdentityError) {
        guard let redirectURI = attempt.redirectURI, let address = callback.address, !address.hasPath(of: redirectURI)
        else { return }
        throw IdentityError(
            .rejected,
            .callbackInvalid,
            "The callback arrived at another path than that of the login's redirect URI.",
            hint:
                "Pass the URL as the browser requested it, and compare its path with redirectURI in the configuration. Behind a proxy that changes paths, pass the provider's name.",
            reference: "RFC 9700 section 4.4.2.2"
        )
    }

    /// Refuses a callback that another provider may have sent: a login that began at a malicious provider would bring it the code
    /// of an honest one.
    private func checkSender(of callback: LoginCallback, _ attempt: LoginAttempt) throws(IdentityError) {
        let given = try callback.value(of: "iss")
        if let issuer = attempt.issuer, let given, given.isEqual(to: Secret(issuer)) { return }
        guard possibleSenders.all.contains(where: { maySend(callback, to: attempt, $0.descriptor) }) else { return }
        throw IdentityError(
            .rejected,
            .responseIssuerMismatch,
            "More than one provider could have sent this callback, and nothing shows which one did.",
            hint:
                "Give each provider a redirect URI of its own, and pass the provider's name when you complete the login.",
            reference: "RFC 9700 section 4.4.2",
            // Without `iss` the app's configuration is the likely cause.
            isAttackSuspected: attempt.issuer != nil && given != nil
        )
    }

    /// Whether a provider other than the login's own may have sent the browser to where the callback arrived.
    ///
    /// Only redirect URIs that are configured, and a callback that shows where it arrived, prove that it did not.
    private func maySend(_ callback: LoginCallback, to attempt: LoginAttempt, _ other: ProviderDescriptor) -> Bool {
        guard !other.name.isIdentical(to: attempt.provider) else { return false }
        guard let address = callback.address, let redirectURI = attempt.redirectURI, address.matches(redirectURI),
            let configured = try? known.providers.provider(named: attempt.provider).descriptor.redirectURI,
            configured.isIdentical(to: redirectURI),
            let otherRedirectURI = other.redirectURI
        else { return true }
        return address.matches(otherRedirectURI)
    }

    private static func check(_ attempt: LoginAttempt, _ browserBinding: Secret?) throws(IdentityError) {
        guard BrowserBinding.matches(attempt.browserBindingHash, cookie: browserBinding) else {
            throw IdentityError(
                .rejected,
                .browserMismatch,
                "The callback came from another browser than the login.",
                hint: "Set the binding cookie on the response that redirects to the provider, and start again.",
                reference: "RFC 9700 section 4.7",
                isAttackSuspected: true
            )
        }
    }
}
