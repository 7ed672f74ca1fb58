internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP

extension SessionManager {
    /// Checks a browser's return from the provider's logout page (OpenID Connect RP-Initiated Logout 1.0 section 3).
    ///
    /// The session had ended before the browser was sent to the logout page, so the result only decides which page the buyer sees next.
    /// A `state` is accepted once, from the browser that was sent to the logout page, until
    /// ``SessionManager/Configuration/attemptLifetime`` has passed.
    ///
    /// - Parameters:
    ///   - callback: The parameters that the browser brought back.
    ///   - browserBinding: The binding cookie of the browser; ``LogoutResult/awaitedReturn`` contained its value.
    ///   - provider: The provider at whose return address the browser arrived, if each provider has a separate address.
    /// - Returns: A confirmed logout, or an unconfirmed one when the return has no `state`.
    /// - Throws: ``IdentityError``; of kind ``IdentityError/Kind/rejected`` for a `state` that is unknown, used, expired, or of another
    ///   browser or provider.
    public func completeLogout(
        _ callback: LogoutCallback,
        browserBinding: Secret?,
        provider: String? = nil
    ) async throws -> CompletedLogout {
        try await Correlation.scope {
            let started = clock.elapsed
            guard let state = callback.state else {
                return CompletedLogout(isConfirmed: false, provider: nil, returnPath: nil)
            }
            var name = provider ?? ""
            do {
                let logout = try await take(state, browserBinding)
                name = logout.provider
                guard logout.expiresAt > clock.now else {
                    throw Self.refusedReturn(.attemptExpired, "came after its state had expired")
                }
                guard provider?.isIdentical(to: logout.provider) ?? true else {
                    let problem = "was received for a provider that is not the provider of the logout"
                    throw Self.refusedReturn(.responseIssuerMismatch, problem)
                }
                let returnPath = try logout.returnPath.map(configuration.returnPaths.location(for:))
                return CompletedLogout(isConfirmed: true, provider: logout.provider, returnPath: returnPath)
            } catch {
                throw events.failed(IdentityEvent.Kind.logoutRefused, error, provider: name, since: started)
            }
        }
    }

    /// Takes a pending logout out of the store; throws for a logout of another browser or tenant, which stays in the store.
    private func take(_ state: Secret, _ cookie: Secret?) async throws -> PendingLogout {
        let unknown = Self.refusedReturn(
            .stateUnknown,
            "has a state that is unknown, was used before or has expired"
        )
        let taken = try await StoredLoginAttempt.take(try PendingLogout.key(for: state), from: store) {
            [visible] stored in
            let logout = try PendingLogout(stored)
            guard visible.serves(tenant: logout.tenant, of: logout.provider) else { throw unknown }
            guard BrowserBinding.matches(logout.browserBindingHash, cookie: cookie) else {
                throw Self.refusedReturn(
                    .browserMismatch,
                    "came without the binding cookie of the browser in which the logout began"
                )
            }
            return logout
        }
        guard let taken else { throw unknown }
        return taken
    }

    private static func refusedReturn(_ code: IdentityError.Code, _ problem: String) -> IdentityError {
        IdentityError(
            .rejected,
            code,
            "The return from the provider's logout page \(problem).",
            hint: PendingLogout.hint,
            reference: "OpenID Connect RP-Initiated Logout 1.0 section 3",
            isAttackSuspected: code != .attemptExpired
        )
    }

    /// Creates the provider's logout URL; if the URL contains a `state`, also stores a pending logout to check the browser's return.
    ///
    /// After an error, for example if the pending logout cannot be stored, the URL contains no `state`.
    func logoutPage(
        for session: Session,
        _ tokens: TokenSet?,
        _ options: LogoutOptions,
        _ problems: inout [IdentityError]
    ) async -> (url: HTTPURL?, awaitedReturn: LogoutResult.AwaitedReturn?) {
        // A guest has no tokens, and the tokens of an unreadable session are unknown.
        guard let tokens else { return (nil, nil) }
        do {
            let provider = try providers.provider(ofStored: session.provider, tenant: session.tenant)
            var options = options
            options.postLogoutRedirectURI = options.postLogoutRedirectURI ?? provider.descriptor.postLogoutRedirectURI
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

    /// Creates a logout URL with a `state`, and stores the pending logout; nil if no `state` is sent.
    private func checkedLogoutPage(
        at provider: any IdentityProvider,
        _ tokens: TokenSet,
        _ options: LogoutOptions
    ) async throws -> (url: HTTPURL?, awaitedReturn: LogoutResult.AwaitedReturn?)? {
        guard options.sendsState, let address = options.postLogoutRedirectURI,
            let supporting = provider as? any LogoutStateSupporting
        else { return nil }
        let state = Secret(Base64URL.encode(try environment.random.exactly(32)))
        guard let url = try await supporting.logoutURL(for: tokens, returningTo: address, state: state) else {
            return nil
        }
        let binding = try BrowserBinding(random: environment.random)
        let lifetime = configuration.attemptLifetime
        let expiresAt = clock.now + lifetime.timeInterval
        let logout = PendingLogout(
            provider: provider.descriptor.name,
            tenant: provider.descriptor.tenant,
            browserBindingHash: binding.hash,
            returnPath: options.returnPath,
            expiresAt: expiresAt
        )
        try await store.insert(try logout.stored(under: state))
        let awaited = LogoutResult.AwaitedReturn(
            browserBinding: binding.cookie,
            expiresAt: expiresAt,
            lifetime: lifetime
        )
        return (url, awaited)
    }
}
