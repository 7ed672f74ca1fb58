internal import FoundationEssentials
public import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC
internal import Synchronization

extension AuthClient {
    /// Exchanges a code from ``handleCallback(url:)`` for tokens.
    ///
    /// - Throws: `IdentityError`. A code works once, so nothing is tried again with the same one.
    public func requestAccessToken(code: String) async throws -> CustomerAccountAccessTokenResponse {
        try await request(code, verifier: nil)
    }

    /// Exchanges a code for tokens.
    ///
    /// - Parameters:
    ///   - code: The code, from ``handleCallback(url:)`` or read from the callback by the app, which then has checked `state`
    ///     itself.
    ///   - codeVerifier: The verifier with which ``buildAuthorizationUrl(codeVerifier:options:)`` began this login.
    /// - Throws: `IdentityError`. A code works once, so nothing is tried again with the same one.
    public func requestAccessToken(
        code: String,
        codeVerifier: String
    ) async throws -> CustomerAccountAccessTokenResponse {
        try await request(code, verifier: Secret(codeVerifier))
    }

    private func request(_ code: String, verifier: Secret?) async throws -> CustomerAccountAccessTokenResponse {
        try await Correlation.scope {
            let provider = try provider()
            let found = state.withLock { $0.logins.take(code: Secret(code), verifier: verifier, at: now) }
            guard let (attempt, callback) = found else { throw Self.unknownLogin }
            if let callback { return try await exchange(callback, attempt) }
            return remember(try await provider.redeem(Secret(code), for: attempt))
        }
    }

    /// Spends a refresh token.
    ///
    /// Several calls with the same token at the same time become one request: Shopify may take each token once.
    ///
    /// - Parameter refreshToken: The latest refresh token.
    /// - Returns: The new tokens; keep its refresh token in place of the old one.
    /// - Throws: `IdentityError`; only kind `signInAgain` means that the buyer has to sign in.
    public func refreshAccessToken(refreshToken: String) async throws -> CustomerAccountAccessTokenResponse {
        try await Correlation.scope {
            let provider = try provider()
            let tokens = try await renewals.run(Array(refreshToken.utf8)) { [self] in
                let secret = Secret(refreshToken)
                let known = state.withLock { $0.tokens }
                let isKnown = known?.refreshToken.map { $0.isEqual(to: secret) } ?? false
                guard isKnown, let known else { return remember(try await provider.refresh(bare: secret)).tokens }
                return remember(try await provider.refresh(known)).tokens
            }
            return CustomerAccountAccessTokenResponse(tokens: tokens.value)
        }
    }

    /// Spends a refresh token and calls back, as in the guide.
    ///
    /// The new refresh token, which the guide's callback loses, is in ``currentTokens``.
    ///
    /// - Parameters:
    ///   - refreshToken: The latest refresh token.
    ///   - callback: Called exactly once, on the client's executor, with the new access token or with what went wrong.
    public func refreshAccessToken(
        refreshToken: String,
        callback: @escaping @Sendable (_ accessToken: String?, _ error: String?) -> Void
    ) {
        // Unstructured: the caller has no task to be a child of.
        Task {
            do {
                let token = try await refreshAccessToken(refreshToken: refreshToken).accessToken
                executor.execute { callback(token, nil) }
            } catch {
                let message = IdentityError.wrapping(error).description
                executor.execute { callback(nil, message) }
            }
        }
    }

    /// Signs the buyer out: forgets everything here first, then calls Shopify's logout endpoint.
    ///
    /// - Parameter idToken: The ID token of the login; an expired one will do.
    /// - Returns: The same address for the browser: only a visit there removes Shopify's cookie from it. Without one the next
    ///   login may pass without a page.
    /// - Throws: `IdentityError` when Shopify could not be told. Here the buyer is signed out all the same.
    @discardableResult
    public func logout(idToken: String) async throws -> HTTPURL? {
        try await Correlation.scope {
            state.withLock { state in
                state.tokens = nil
                state.logins = PendingLogins()
            }
            let provider = try provider()
            guard let url = try await provider.logoutURL(idToken: Secret(idToken), returningTo: nil) else { return nil }
            try await provider.visit(url)
            return url
        }
    }

    /// Signs the buyer out and calls back, as in the guide.
    ///
    /// - Parameters:
    ///   - idToken: The ID token of the login.
    ///   - completion: Called exactly once, on the client's executor: whether Shopify was told, and if not, why.
    public func logout(
        idToken: String,
        completion: @escaping @Sendable (_ success: Bool, _ error: String?) -> Void
    ) {
        Task {
            do {
                try await logout(idToken: idToken)
                executor.execute { completion(true, nil) }
            } catch {
                let message = IdentityError.wrapping(error).description
                executor.execute { completion(false, message) }
            }
        }
    }

    func remember(_ tokens: TokenSet) -> CustomerAccountAccessTokenResponse {
        state.withLock { $0.tokens = tokens }
        return CustomerAccountAccessTokenResponse(tokens: tokens)
    }
}
