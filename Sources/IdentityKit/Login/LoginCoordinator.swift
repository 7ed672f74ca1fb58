internal import FoundationEssentials

/// Begins and completes logins with a redirect.
struct LoginCoordinator: SessionService {
    let context: SessionContext

    func begin(
        _ provider: String,
        options: LoginOptions,
        stepUp: PendingStepUp? = nil
    ) async throws -> StartedLogin {
        let binding = try BrowserBinding(random: environment.random)
        let request = try await insertAttempt(provider, options, binding, stepUp)
        return StartedLogin(
            url: request.url,
            browserBinding: binding.cookie,
            expiresAt: request.attempt.expiresAt,
            lifetime: configuration.attemptLifetime,
            attemptID: try LoginAttempt.id(for: request.attempt.state),
            responseMode: request.attempt.responseMode
        )
    }

    func beginStepUp(
        of id: SessionID,
        requiring requirement: StepUpRequirement,
        options: LoginOptions
    ) async throws -> StartedLogin {
        let (stored, tokens) = try await signedInSession(id)
        // A provider of another tenant may have the same name, so this call checks that the provider has the session's tenant.
        _ = try provider(of: stored)
        let options = stepUps.options(options, for: requirement, of: tokens.buyer)
        let stepUp = PendingStepUp(session: id, requirement: requirement)
        return try await begin(stored.provider, options: options, stepUp: stepUp)
    }

    /// Builds the authorization request and stores its login attempt.
    func insertAttempt(
        _ name: String,
        _ options: LoginOptions,
        _ binding: BrowserBinding,
        _ stepUp: PendingStepUp? = nil
    ) async throws -> AuthorizationRequest {
        let started = clock.elapsed
        let provider = try visible.providers.provider(named: name)
        // If the provider's timeout is longer than the time for which the store guarantees a lock, the session could not be refreshed.
        try lockTimeCheck.run(provider)
        let returnPath = try options.returnPath.map(configuration.returnPaths.location(for:))
        var request = try await provider.authorizationRequest(options)
        request.attempt.returnPath = returnPath
        request.attempt.createdAt = clock.now
        request.attempt.expiresAt = request.attempt.createdAt + configuration.attemptLifetime.timeInterval
        request.attempt.tenant = provider.descriptor.tenant
        request.attempt.browserBindingHash = binding.hash
        request.attempt.stepUp = stepUp
        try await visible.store.insert(request.attempt.stored())
        events.emit(.loginStarted, provider: name, since: started)
        return request
    }
}
