internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP

extension SessionManager {
    /// Checks a browser's return from the provider's logout page (OpenID Connect RP-Initiated Logout 1.0 section 3).
    ///
    /// The session ended before the browser left, so nothing depends on this but what the buyer sees next. A `state` is good
    /// once, in the browser that was sent there, for as long as a login may take.
    ///
    /// - Parameters:
    ///   - callback: What the browser brought.
    ///   - browserBinding: The binding cookie of that browser, from ``LogoutResult/awaitedReturn``.
    ///   - provider: The provider whose address received it, where each has its own.
    /// - Returns: A confirmed logout, or one that is marked as not confirmed when the return has no `state` at all.
    /// - Throws: ``IdentityError`` of kind ``IdentityError/Kind/rejected`` for a `state` that is not this browser's, was used
    ///   before or has expired.
    public func completeLogout(
        _ callback: LogoutCallback,
        browserBinding: Secret?,
        provider: String? = nil
    ) async throws -> CompletedLogout {
        try await Correlation.scope {
            let started = environment.clock.elapsed
            guard let state = callback.state else {
                return CompletedLogout(isConfirmed: false, provider: nil, returnPath: nil)
            }
            var name = provider ?? ""
            do {
                let logout = try await take(state)
                name = logout.provider
                try check(logout, browserBinding, provider)
                let returnPath = try returnPath(logout.returnPath)
                return CompletedLogout(isConfirmed: true, provider: logout.provider, returnPath: returnPath)
            } catch {
                emit(.logoutRefused(IdentityError.code(of: error)), provider: name, since: started)
                throw IdentityError.wrapping(error)
            }
        }
    }

    private func take(_ state: Secret) async throws -> StoredLogout {
        let unknown = Self.refusedReturn(.stateUnknown, "brings a state that no logout here waits for")
        guard let stored = try await store.takeLoginAttempt(try StoredLogout.key(for: state)) else { throw unknown }
        let logout = try StoredLogout(stored)
        guard isOurs(tenant: logout.tenant, of: logout.provider) else { throw unknown }
        return logout
    }

    private func check(_ logout: StoredLogout, _ cookie: Secret?, _ provider: String?) throws(IdentityError) {
        guard BrowserBinding.isMet(logout.browserBindingHash, by: cookie) else {
            throw Self.refusedReturn(.browserMismatch, "came with another browser than the logout")
        }
        guard logout.expiresAt > environment.clock.now else {
            throw Self.refusedReturn(.attemptExpired, "took too long")
        }
        guard provider.map({ $0.isIdentical(to: logout.provider) }) ?? true else {
            throw Self.refusedReturn(.responseIssuerMismatch, "reached another provider's address")
        }
    }

    private static func refusedReturn(_ code: IdentityError.Code, _ problem: String) -> IdentityError {
        IdentityError(
            .rejected,
            code,
            "The return from the provider's logout page \(problem).",
            hint: "The session has ended here all the same. Show the buyer a page that is right for anybody.",
            reference: "OpenID Connect RP-Initiated Logout 1.0 section 3"
        )
    }

    /// Where to send the browser, and what its return will be checked against.
    ///
    /// A logout goes on without a `state` when the store cannot keep it.
    func logoutPage(
        for session: Session,
        _ tokens: TokenSet,
        _ options: LogoutOptions,
        _ problems: inout [IdentityError]
    ) async -> (url: HTTPURL?, awaitedReturn: LogoutResult.AwaitedReturn?) {
        // Nobody is signed in anywhere.
        if session.isGuest { return (nil, nil) }
        do {
            let provider = try providers.provider(named: session.provider)
            do {
                if let page = try await checkedLogoutPage(at: provider, tokens, options) { return page }
            } catch {
                problems.append(.wrapping(error))
            }
            return (try await provider.logoutURL(for: tokens, returningTo: options.postLogoutRedirectURI), nil)
        } catch {
            problems.append(.wrapping(error))
            return (nil, nil)
        }
    }

    /// Nil when no `state` can or shall go along.
    private func checkedLogoutPage(
        at provider: any IdentityProvider,
        _ tokens: TokenSet,
        _ options: LogoutOptions
    ) async throws -> (url: HTTPURL?, awaitedReturn: LogoutResult.AwaitedReturn?)? {
        guard options.sendsState, let address = options.postLogoutRedirectURI,
            let supporting = provider as? any LogoutStateSupporting
        else { return nil }
        let state = Secret(Base64URL.encode(try environment.random.bytes(32)))
        guard let url = try await supporting.logoutURL(for: tokens, returningTo: address, state: state) else {
            return nil
        }
        let binding = try BrowserBinding(random: environment.random)
        let expiresAt = environment.clock.now + configuration.attemptLifetime.timeInterval
        let logout = StoredLogout(
            provider: provider.descriptor.name,
            tenant: provider.descriptor.tenant,
            browserBindingHash: binding.hash,
            returnPath: options.returnPath,
            expiresAt: expiresAt
        )
        try await store.insert(try logout.stored(under: state))
        return (url, LogoutResult.AwaitedReturn(browserBinding: binding.cookie, expiresAt: expiresAt))
    }
}
