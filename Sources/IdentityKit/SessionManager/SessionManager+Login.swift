internal import FoundationEssentials

extension SessionManager {
    /// Begins a login in a web app: redirect the browser to the returned URL and set the binding cookie.
    ///
    /// - Throws: ``IdentityError``: with code ``IdentityError/Code/providerUnknown``, ``IdentityError/Code/returnPathRefused`` or
    ///   ``IdentityError/Code/configurationInvalid``, or the error of the provider or the store.
    public func begin(_ provider: String, options: LoginOptions = LoginOptions()) async throws -> StartedLogin {
        try await Correlation.scope { try await begin(provider, options, nil) }
    }

    /// Stores a session for tokens that the app received in another way, for example with a code from a phone app.
    ///
    /// - Throws: ``IdentityError`` when the provider is not known or the store fails, and with code
    ///   ``IdentityError/Code/idTokenSubject`` if the buyer of the tokens has no issuer or no subject.
    public func establish(_ tokens: TokenSet, provider name: String) async throws -> Session {
        try await Correlation.scope {
            try await creator.create(for: tokens, by: try providers.provider(named: name).descriptor)
        }
    }

    func begin(_ provider: String, _ options: LoginOptions, _ stepUp: PendingStepUp?) async throws -> StartedLogin {
        let binding = try BrowserBinding(random: environment.random)
        let request = try await startAttempt(provider, options, binding, stepUp)
        return StartedLogin(
            url: request.url,
            browserBinding: binding.cookie,
            expiresAt: request.attempt.expiresAt,
            lifetime: configuration.attemptLifetime,
            attemptID: try LoginAttempt.id(for: request.attempt.state),
            responseMode: request.attempt.responseMode
        )
    }

    func startAttempt(
        _ name: String,
        _ options: LoginOptions,
        _ binding: BrowserBinding,
        _ stepUp: PendingStepUp? = nil
    ) async throws -> AuthorizationRequest {
        let started = clock.elapsed
        let provider = try providers.provider(named: name)
        // If the provider's timeout is longer than the time for which the store guarantees a lock, the session could not be refreshed.
        try checkLockTime(of: provider)
        let returnPath = try options.returnPath.map(configuration.returnPaths.location(for:))
        var request = try await provider.authorizationRequest(options)
        request.attempt.returnPath = returnPath
        request.attempt.createdAt = clock.now
        request.attempt.expiresAt = request.attempt.createdAt + configuration.attemptLifetime.timeInterval
        request.attempt.tenant = provider.descriptor.tenant
        request.attempt.browserBindingHash = binding.hash
        request.attempt.stepUp = stepUp
        try await store.insert(request.attempt.stored())
        events.emit(.loginStarted, provider: name, since: started)
        return request
    }
}
