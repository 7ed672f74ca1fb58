extension SessionManager {
    /// Begins a login in a web app: redirect the browser to the URL and set the binding cookie.
    ///
    /// - Parameters:
    ///   - provider: The provider's name.
    ///   - options: The options of this login.
    /// - Returns: The login page and the binding cookie.
    /// - Throws: ``IdentityError``.
    public func begin(_ provider: String, options: LoginOptions = LoginOptions()) async throws -> StartedLogin {
        try await Correlation.scope { try await logins.begin(provider, options: options) }
    }

    /// Begins a step-up: a login of a session's buyer that is more recent or stronger than the session's login.
    ///
    /// Redirect the browser to the URL and set the binding cookie. ``complete(_:browserBinding:provider:)`` completes the login. The same
    /// buyer has to sign in, and `auth_time` and `acr` of the new ID token have to satisfy the requirement. The new session has a new id
    /// and gets the attachments of the old session, such as the cart. The old session ends. Its tokens are removed but not revoked, because
    /// a provider that keeps one grant for a buyer and a client would invalidate the new tokens too. If the step-up fails, the old session
    /// is unchanged.
    ///
    /// ```swift
    /// let started = try await sessions.beginStepUp(of: id, requiring: StepUpRequirement(maximumAge: .seconds(300)))
    /// ```
    ///
    /// - Parameters:
    ///   - id: The session from the browser's cookie.
    ///   - requirement: What the login must prove; by default that the buyer signs in now.
    ///   - options: Further options of the login.
    /// - Returns: The login page and the binding cookie.
    /// - Throws: ``IdentityError``, of kind ``IdentityError/Kind/signInAgain`` when no buyer is signed in to the session, and with
    ///   ``IdentityError/isAttackSuspected`` when the response to its last refresh belongs to another login. `complete` throws
    ///   ``IdentityError/Code/idTokenSubject`` for another buyer, ``IdentityError/Code/idTokenAuthentication`` when the new login does not
    ///   satisfy the requirement, and ``IdentityError/Code/sessionUnknown`` when the session no longer exists.
    public func beginStepUp(
        of id: SessionID,
        requiring requirement: StepUpRequirement = StepUpRequirement(),
        options: LoginOptions = LoginOptions()
    ) async throws -> StartedLogin {
        try await Correlation.scope {
            try await logins.beginStepUp(of: id, requiring: requirement, options: options)
        }
    }

    /// Completes a login in a web app: checks the callback, exchanges the code for tokens and stores the session.
    ///
    /// The pending login is removed from the store before the code is sent, so each callback works only once among all processes. After an
    /// error, even of kind ``IdentityError/Kind/retryLater``, begin a new login.
    ///
    /// - Parameters:
    ///   - callback: The parameters of the callback.
    ///   - browserBinding: The binding cookie of the browser that sent the callback.
    ///   - provider: The provider whose redirect URI received the callback, if each provider has a separate one, as RFC 9700 section 4.4
    ///     advises. If it is nil, two kinds of callbacks are refused: a callback that another provider (of any tenant) could have sent,
    ///     unless its `iss` (RFC 9207) is the issuer of the login; and a callback at another path than the path of the redirect URI.
    /// - Returns: The new session and the return path.
    /// - Throws: ``IdentityError``.
    public func complete(
        _ callback: LoginCallback,
        browserBinding: Secret?,
        provider: String? = nil
    ) async throws -> CompletedLogin {
        try await Correlation.scope {
            try await logins.complete(callback, browserBinding: browserBinding, provider: provider)
        }
    }

    /// Stores a session for tokens that the app received in another way, for example with a code from a phone app.
    ///
    /// - Throws: ``IdentityError`` when the provider is not known or the store fails, and with code
    ///   ``IdentityError/Code/idTokenSubject`` for tokens without issuer or subject.
    public func establish(_ tokens: TokenSet, provider name: String) async throws -> Session {
        try await Correlation.scope {
            try await creator.create(for: tokens, by: try visible.providers.provider(named: name).descriptor)
        }
    }
}
