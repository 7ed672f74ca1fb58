internal import FoundationEssentials

extension SessionManager {
    /// Begins a login in a web app: redirect the browser to the returned URL and set the binding cookie.
    ///
    /// - Throws: ``IdentityError``: with code ``IdentityError/Code/providerUnknown``, ``IdentityError/Code/returnPathRefused`` or
    ///   ``IdentityError/Code/configurationInvalid``, or the error of the provider or the store.
    public func begin(_ provider: String, options: LoginOptions = LoginOptions()) async throws -> StartedLogin {
        try await Correlation.scope { try await begin(provider, options, nil) }
    }

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
    ///     callback's `iss` (RFC 9207) is the issuer of the login. It also refuses a callback at another path than the redirect URI's.
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
