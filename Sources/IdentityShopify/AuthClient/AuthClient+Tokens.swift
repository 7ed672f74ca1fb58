internal import FoundationEssentials
public import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC
internal import Synchronization

extension AuthClient {
    /// Exchanges a code from ``handleCallback(url:)`` for tokens.
    ///
    /// - Throws: `IdentityError`. A code works once, so start a new login after an error.
    public func requestAccessToken(code: String) async throws -> CustomerAccountAccessTokenResponse {
        try await request(code, verifier: nil)
    }

    /// Exchanges a code for tokens.
    ///
    /// - Parameters:
    ///   - code: The code from ``handleCallback(url:)``, or one that the app read from the callback after it checked `state`.
    ///   - codeVerifier: The verifier that was passed to ``buildAuthorizationUrl(codeVerifier:options:)`` for this login.
    /// - Returns: The tokens.
    /// - Throws: `IdentityError`. A code works once, so start a new login after an error.
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
            return save(try await provider.client.redeem(Secret(code), for: attempt))
        }
    }

    /// Refreshes the access token.
    ///
    /// Concurrent calls with the same token share one request, because Shopify may accept each token once.
    ///
    /// - Parameter refreshToken: The latest refresh token.
    /// - Returns: The new tokens; store the new refresh token instead of the old one.
    /// - Throws: `IdentityError`; only kind `signInAgain` means that the buyer must sign in again.
    public func refreshAccessToken(refreshToken: String) async throws -> CustomerAccountAccessTokenResponse {
        try await Correlation.scope {
            let provider = try provider()
            let tokens = try await refreshes.run(Array(refreshToken.utf8)) { [self] in
                let secret = Secret(refreshToken)
                let known = state.withLock { $0.tokens }
                let isKnown = known?.refreshToken.map { $0.isEqual(to: secret) } ?? false
                guard isKnown, let known else { return save(try await provider.refresh(bare: secret)).tokens }
                return save(try await provider.refresh(known)).tokens
            }
            return CustomerAccountAccessTokenResponse(tokens: tokens.value)
        }
    }

    /// Refreshes the access token and calls back, as in Shopify's guide.
    ///
    /// The guide's callback has no refresh token; the new one is in ``currentTokens``.
    ///
    /// - Parameters:
    ///   - refreshToken: The latest refresh token.
    ///   - callback: Called exactly once, on the client's executor, with the new access token or with an error message.
    public func refreshAccessToken(
        refreshToken: String,
        callback: @escaping @Sendable (_ accessToken: String?, _ error: String?) -> Void
    ) {
        // Unstructured, because the caller is not async.
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

    /// Signs the buyer out: removes all tokens and pending logins here first, then calls Shopify's logout endpoint.
    ///
    /// - Parameter idToken: The ID token of the login; it may be expired.
    /// - Returns: The logout URL for the browser: only a visit removes Shopify's cookie. With that cookie, the next login may need no
    ///   page.
    /// - Throws: `IdentityError` when the logout endpoint failed. The buyer is signed out here even then.
    @discardableResult
    public func logout(idToken: String) async throws -> HTTPURL? {
        try await Correlation.scope {
            state.withLock { state in
                state.tokens = nil
                state.logins = PendingLogins()
            }
            let provider = try provider()
            guard let url = try await provider.logoutURL(idToken: Secret(idToken), returningTo: nil) else { return nil }
            try await provider.endSession(at: url)
            return url
        }
    }

    /// Signs the buyer out and calls back, as in Shopify's guide.
    ///
    /// - Parameters:
    ///   - idToken: The ID token of the login.
    ///   - completion: Called exactly once, on the client's executor: whether Shopify's logout endpoint succeeded, and if not, why.
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

    func save(_ tokens: TokenSet) -> CustomerAccountAccessTokenResponse {
        state.withLock { $0.tokens = tokens }
        return CustomerAccountAccessTokenResponse(tokens: tokens)
    }
}
