public import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC
internal import Synchronization

extension AuthClient {
    /// Refreshes the access token.
    ///
    /// Concurrent calls with the same refresh token share one request, because Shopify may accept a refresh token only once. The request
    /// uses the ID token that was passed to the first of these calls.
    ///
    /// The client fetches Shopify's keys before it sends the refresh token, unless the keys are in memory. If a newer key has
    /// signed the ID token of the response, and the client cannot fetch this key, the tokens are lost, and the buyer must sign in again.
    ///
    /// - Parameters:
    ///   - refreshToken: The latest refresh token.
    ///   - idToken: The ID token of the login, from the app's storage. Pass it if this client was created after the login, because such a
    ///     client has no ID token in memory. If Shopify's response contains a new ID token, the client checks that both ID tokens belong to
    ///     the same login (OpenID Connect Core section 12.2).
    /// - Returns: The new tokens; store the new refresh token instead of the old one.
    /// - Throws: `IdentityError`; of kind `signInAgain` if Shopify rejects the refresh token, so the buyer must sign in again. If
    ///   `isAttackSuspected` is true, Shopify's response contained the tokens of another login: the client drops these tokens and keeps its
    ///   earlier tokens. With code `store_failed`, the token storage did not save the new tokens; they are in ``currentTokens``.
    public func refreshAccessToken(
        refreshToken: String,
        idToken: String? = nil
    ) async throws -> CustomerAccountAccessTokenResponse {
        try await refresh(refreshToken, idToken: idToken, since: logouts)
    }

    private func refresh(
        _ refreshToken: String,
        idToken: String? = nil,
        since logouts: Int
    ) async throws -> CustomerAccountAccessTokenResponse {
        try await Correlation.scope {
            let provider = try provider()
            let tokens = try await refreshes.run(Array(refreshToken.utf8)) { [self] in
                let secret = Secret(refreshToken)
                let latest = state.withLock { $0.tokens }
                let known = latest.flatMap { $0.refreshToken?.isEqual(to: secret) == true ? $0 : nil }
                return try await save(refreshing: secret, since: logouts) {
                    // An empty subject means that an earlier refresh could not verify the buyer, because the client did not have the tokens
                    // of the login.
                    if let known, !known.buyer.subject.isEmpty { return try await provider.refresh(known) }
                    let idToken = idToken.map { Secret($0) } ?? known?.idToken
                    return try await provider.refresh(bare: secret, idToken: idToken)
                }.tokenSet
            }.result.get()
            return CustomerAccountAccessTokenResponse(tokenSet: tokens)
        }
    }

    /// Refreshes the access token and calls back, as in Shopify's guide.
    ///
    /// The guide's callback has no parameter for the new refresh token: read it from ``currentTokens``.
    ///
    /// The client calls `callback` exactly once, on its `callbackExecutor`, with the new access token or with an error message.
    public func refreshAccessToken(
        refreshToken: String,
        callback: @escaping @Sendable (_ accessToken: String?, _ error: String?) -> Void
    ) {
        // `logouts` is read before the task starts: if the app calls a logout next, the new tokens must not be stored.
        let logouts = logouts
        executor.run({ try await self.refresh(refreshToken, since: logouts).accessToken }) { result in
            switch result {
            case .success(let token): callback(token, nil)
            case .failure(let error): callback(nil, error.description)
            }
        }
    }

    /// Signs the buyer out: removes all tokens and pending logins from this client first, then calls Shopify's logout endpoint.
    ///
    /// A login that started before the logout cannot be completed afterwards. This holds for the authorization URLs of this client, and for
    /// URLs that the app built with one of the latest 64 code verifiers of this client. A call that is exchanging a login's code throws an
    /// error of kind `cancelled`.
    ///
    /// - Parameter idToken: The ID token of the login; it may be expired.
    /// - Returns: The logout URL for the browser, with the provider's `postLogoutRedirectURI` if one is configured. Shopify's cookie is
    ///   removed only when the browser opens this URL. While the browser has the cookie, the next login may show no page. Nil if the shop's
    ///   metadata contain no logout endpoint: then the buyer is signed out in this client only.
    /// - Throws: `IdentityError` if the configuration is invalid, if the ID token is too long for a URL, if discovery or the logout
    ///   endpoint failed, or if the token storage did not remove the tokens. Even after an error, this client has no tokens in memory.
    @discardableResult
    public func logout(idToken: String) async throws -> HTTPURL? {
        try await Correlation.scope {
            state.withLock { state in
                state.tokens = nil
                state.logins.endAll()
                state.logouts += 1
            }
            // If the storage fails, the app can repeat the logout, which tries again to remove the tokens.
            let removal = Task { try await writeThrough(failingAs: .retryLater) }
            do {
                let provider = try provider()
                let (idToken, page) = (Secret(idToken), provider.configuration.postLogoutRedirectURI)
                let url = try await provider.logoutURL(idToken: idToken, returningTo: page)
                // The client does not follow redirects of the logout endpoint, so its own call needs no redirect URI.
                if let call = try await provider.logoutURL(idToken: idToken, returningTo: nil) {
                    try await provider.endSession(at: call)
                }
                try await removal.value
                return url
            } catch {
                // If the storage also failed to remove the tokens, its error is thrown instead, because the stored tokens may still work.
                try await removal.value
                throw error
            }
        }
    }

    /// Signs the buyer out and calls back, as in Shopify's guide.
    ///
    /// The client calls `completion` exactly once, on its `callbackExecutor`: `success` is true if ``logout(idToken:)`` threw no error,
    /// otherwise `error` is the description of the error.
    public func logout(
        idToken: String,
        completion: @escaping @Sendable (_ success: Bool, _ error: String?) -> Void
    ) {
        executor.run({ try await self.logout(idToken: idToken) }) { result in
            switch result {
            case .success: completion(true, nil)
            case .failure(let error): completion(false, error.description)
            }
        }
    }

    /// Requests tokens, and stores them unless the buyer has signed out since `logouts` was read.
    ///
    /// If the client's tokens changed during a refresh and no longer contain the refresh token `old`, the new tokens are not stored:
    /// they would replace the tokens of a newer login.
    ///
    /// Throws an error of kind `cancelled` if the buyer signed out during a login.
    func save(
        refreshing old: Secret? = nil,
        since logouts: Int,
        _ request: () async throws -> TokenSet
    ) async throws -> CustomerAccountAccessTokenResponse {
        let version = state.withLock { $0.tokensVersion }
        let tokens = try await request()
        state.withLock { state in
            let isLatest =
                old.map { state.tokensVersion == version || state.tokens?.refreshToken?.isEqual(to: $0) == true }
                ?? true
            if state.logouts == logouts, isLatest { state.tokens = tokens }
        }
        // A separate task, so that the tokens are stored even if the caller's task is cancelled. The client could not request them again,
        // because the code or the old refresh token was used.
        try await Task { try await writeThrough(failingAs: .configuration) }.value
        // If the buyer signed out during this call, a login throws an error. A refresh still returns its new tokens, because the old
        // refresh token was used.
        guard old != nil || state.withLock({ $0.logouts == logouts }) else { throw Self.signedOut }
        return CustomerAccountAccessTokenResponse(tokenSet: tokens)
    }

    static var signedOut: IdentityError {
        IdentityError(
            .cancelled,
            .cancelled,
            "The login was cancelled, because the buyer signed out before it ended.",
            hint: "Offer the login again."
        )
    }

    /// Writes the client's current tokens to the token storage, and repeats the write if the tokens change during it.
    ///
    /// `kind` is the kind of the error if the storage fails: `retryLater` if the caller can repeat its call.
    private func writeThrough(failingAs kind: IdentityError.Kind) async throws {
        guard let tokenStorage else { return }
        while true {
            let (tokens, version) = state.withLock { ($0.tokens, $0.tokensVersion) }
            do {
                if let tokens {
                    try await tokenStorage.saveTokens(CustomerAccountAccessTokenResponse(tokenSet: tokens))
                } else {
                    try await tokenStorage.removeTokens()
                }
            } catch {
                // If the tokens changed during the write, for example because the buyer signed out, the loop writes the current tokens.
                guard state.withLock({ $0.tokensVersion == version }) else { continue }
                let hint =
                    tokens == nil
                    ? "Repair the token storage. Then remove the tokens from the storage: the client no longer has the tokens."
                    : "Repair the token storage. Then save currentTokens of the AuthClient before the program ends."
                throw IdentityError(
                    kind,
                    .storeFailed,
                    "The token storage of the app failed to \(tokens == nil ? "remove" : "save") the tokens.",
                    hint: kind == .retryLater
                        ? hint : "\(hint) Do not repeat the call: its code or refresh token was used.",
                    reference: tokens == nil ? nil : "Shopify, Authenticate checkouts, Send the token request",
                    cause: error
                )
            }
            if state.withLock({ $0.tokensVersion == version }) { return }
        }
    }
}
