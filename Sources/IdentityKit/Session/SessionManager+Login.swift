internal import FoundationEssentials
internal import IdentityCrypto

extension SessionManager {
    /// Begins a login in a web app: redirect the browser to the URL and set the binding cookie.
    ///
    /// - Parameters:
    ///   - provider: The provider's name.
    ///   - options: What to ask for.
    /// - Returns: The login page and the binding cookie.
    /// - Throws: ``IdentityError``.
    public func begin(_ provider: String, options: LoginOptions = LoginOptions()) async throws -> StartedLogin {
        try await Correlation.scope {
            let binding = try BrowserBinding(random: environment.random)
            let request = try await start(provider, options, bindingHash: binding.hash)
            return StartedLogin(
                url: request.url,
                browserBinding: binding.cookie,
                expiresAt: request.attempt.expiresAt
            )
        }
    }

    /// Completes a login in a web app: checks the callback, gets the tokens, stores the session.
    ///
    /// The pending login is taken out of the store before anything is sent, so a callback works once, in whichever process
    /// it arrives.
    ///
    /// - Parameters:
    ///   - callback: What the provider sent back.
    ///   - browserBinding: The binding cookie of the browser that brought it.
    ///   - provider: The provider whose redirect URI received the callback, where each has its own, as RFC 9700 section 4.4
    ///     advises. Without it, a callback that more than one provider of any tenant could have sent is refused, unless its `iss`
    ///     (RFC 9207) is the issuer to which the login is bound.
    /// - Returns: The new session and the return path.
    /// - Throws: ``IdentityError``.
    public func complete(
        _ callback: LoginCallback,
        browserBinding: Secret?,
        provider: String? = nil
    ) async throws -> CompletedLogin {
        try await finish(callback, provider: provider) { stored throws(IdentityError) in
            guard BrowserBinding.matches(stored.browserBindingHash, cookie: browserBinding) else {
                throw IdentityError(
                    .rejected,
                    .browserMismatch,
                    "The callback came from another browser than the login.",
                    hint: "Set the binding cookie on the response that redirects to the provider, and start again.",
                    reference: "RFC 9700 section 4.7"
                )
            }
        }
    }

    /// Stores a session for tokens that were got in another way, for example with a code that a phone app relayed.
    ///
    /// - Throws: ``IdentityError`` when the provider is not known or the store fails.
    public func establish(_ tokens: TokenSet, provider name: String) async throws -> Session {
        try await Correlation.scope {
            try await save(tokens, by: try providers.provider(named: name).descriptor)
        }
    }

    func start(
        _ name: String,
        _ options: LoginOptions,
        bindingHash: [UInt8]
    ) async throws -> AuthorizationRequest {
        let started = environment.clock.elapsed
        let provider = try providers.provider(named: name)
        try check(provider)
        let returnPath = try returnPath(options.returnPath)
        var request = try await provider.authorizationRequest(options)
        request.attempt.returnPath = returnPath
        request.attempt.createdAt = environment.clock.now
        request.attempt.expiresAt = request.attempt.createdAt + configuration.attemptLifetime.timeInterval
        request.attempt.tenant = provider.descriptor.tenant
        request.attempt.browserBindingHash = bindingHash
        try await store.insert(request.attempt.stored())
        emit(.loginStarted, provider: name, since: started)
        return request
    }

    func finish(
        _ callback: LoginCallback,
        provider expectedProvider: String?,
        binding check: @Sendable (LoginAttempt) throws(IdentityError) -> Void
    ) async throws -> CompletedLogin {
        try await Correlation.scope {
            let started = environment.clock.elapsed
            var name = expectedProvider ?? ""
            do {
                let attempt = try await take(callback)
                name = attempt.provider
                try check(attempt)
                try self.check(attempt, expectedProvider)
                if expectedProvider == nil { try checkSender(of: callback, attempt) }
                // Judged again, by the policy of the process that hands it out.
                let returnPath = try returnPath(attempt.returnPath)
                let provider = try providers.provider(named: attempt.provider)
                let tokens = try await provider.exchange(callback, for: attempt)
                let session = try await saveLogin(tokens, by: provider.descriptor)
                emit(.loginCompleted, provider: name, session: session.id, since: started)
                return CompletedLogin(session: session, returnPath: returnPath)
            } catch {
                emit(.loginFailed(IdentityError.code(of: error)), provider: name, since: started)
                throw IdentityError.wrapping(error)
            }
        }
    }

    /// What the policy makes of a return path, nil where there is none.
    func returnPath(_ text: String?) throws(IdentityError) -> String? {
        guard let text else { return nil }
        return try configuration.returnPaths.location(for: text)
    }

    private func take(_ callback: LoginCallback) async throws -> LoginAttempt {
        guard let state = try callback.value(of: "state"), !state.isEmpty else {
            throw IdentityError(
                .rejected,
                .stateInvalid,
                "The callback has no state.",
                hint: "Start the login again; a callback without state is forged or cut short.",
                reference: "RFC 6749 section 4.1.2"
            )
        }
        guard let stored = try await store.takeLoginAttempt(try LoginAttempt.key(for: state)) else {
            throw Self.unknownState
        }
        let attempt = try LoginAttempt(stored)
        guard isOurs(tenant: attempt.tenant, of: attempt.provider) else { throw Self.unknownState }
        return attempt
    }

    private static var unknownState: IdentityError {
        IdentityError(
            .rejected,
            .stateUnknown,
            "The callback's state belongs to no pending login.",
            hint: "It was used before, has expired, or was never issued here. Start the login again.",
            reference: "RFC 6749 section 10.12"
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
                reference: "RFC 9700 section 4.4.2.2"
            )
        }
    }

    /// Refuses a callback that another provider may have sent: a login that began at a malicious provider would bring it the code
    /// of an honest one.
    private func checkSender(of callback: LoginCallback, _ attempt: LoginAttempt) throws(IdentityError) {
        if let issuer = attempt.issuer, let given = try callback.value(of: "iss"), given.isEqual(to: Secret(issuer)) {
            return
        }
        guard possibleSenders.all.contains(where: { maySend(callback, to: attempt, $0.descriptor) }) else { return }
        throw IdentityError(
            .rejected,
            .responseIssuerMismatch,
            "More than one provider could have sent this callback, and nothing shows which one did.",
            hint:
                "Give each provider a redirect URI of its own, and pass the provider's name when you complete the login.",
            reference: "RFC 9700 section 4.4.2"
        )
    }

    /// Whether a provider other than the login's own may have sent the browser to where the callback arrived.
    ///
    /// Only redirect URIs that are configured, and a callback that shows where it arrived, prove that it did not.
    private func maySend(_ callback: LoginCallback, to attempt: LoginAttempt, _ other: ProviderDescriptor) -> Bool {
        guard !other.name.isIdentical(to: attempt.provider) else { return false }
        guard let address = callback.address, let redirectURI = attempt.redirectURI, address.matches(redirectURI),
            let configured = try? descriptor(of: attempt.provider).redirectURI, configured.isIdentical(to: redirectURI),
            let otherRedirectURI = other.redirectURI
        else { return true }
        return address.matches(otherRedirectURI)
    }

    /// Saves what a login brought; where that fails, nobody has its tokens, and they are revoked.
    func saveLogin(_ tokens: TokenSet, by descriptor: ProviderDescriptor) async throws -> Session {
        do {
            return try await save(tokens, by: descriptor)
        } catch {
            await outlivingCaller { [revocation] in await revocation.drop(tokens, of: descriptor.name) }
            throw error
        }
    }

    private func save(_ tokens: TokenSet, by descriptor: ProviderDescriptor) async throws -> Session {
        guard let id = SessionID(rawValue: Base64URL.encode(try environment.random.bytes(16))) else {
            throw IdentityError(.retryLater, .systemFailure, "The random source gave too few bytes.")
        }
        let now = environment.clock.now
        let state = SessionState.active(tokens)
        let stored = StoredSession(
            id: id,
            provider: descriptor.name,
            tenant: descriptor.tenant,
            issuer: tokens.buyer.issuer,
            subject: tokens.buyer.subject,
            providerSessionID: tokens.providerSessionID,
            createdAt: now,
            retainedUntil: lifetime.end(ofSessionSince: now),
            payload: state.payload(ofNewSession: true)
        )
        try await store.insert(stored)
        return Session(stored, state)
    }
}
