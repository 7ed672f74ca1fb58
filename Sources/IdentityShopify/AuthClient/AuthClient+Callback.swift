public import FoundationEssentials
internal import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC
internal import Synchronization

extension AuthClient {
    /// Checks a callback and returns its authorization code; nil if the URL is not the callback of a pending login, or has no valid code.
    ///
    /// A login accepts only one callback with its `state`, even if this callback contains an error instead of a code. So a second call with
    /// the same URL returns nil. To learn what failed, call ``completeLogin(url:)`` instead of this function.
    public func handleCallback(url: URL) -> String? {
        guard isCallback(url), let provider = try? provider(),
            let callback = try? LoginCallback(url: url.absoluteString), let state = try? callback.state()
        else { return nil }
        let logouts = logouts
        guard case .pending(let attempt) = take(state),
            let code = try? provider.client.authorizationCodeWithoutMetadata(in: callback, for: attempt)
        else { return nil }
        let login = PendingLogins.CheckedLogin(code: code, callback: callback, attempt: attempt)
        return self.state.withLock { state in
            guard state.logouts == logouts else { return nil }
            state.logins.add(login)
            return code.reveal()
        }
    }

    /// Whether a URL is the redirect URI of this client or of a pending login; queries and fragments are not compared.
    ///
    /// The app's web view must not open such a URL.
    public func isCallback(_ url: URL) -> Bool {
        let address = CallbackAddress(url: url.absoluteString)
        if !customerAccountsApiRedirectUri.isEmpty, address.equals(customerAccountsApiRedirectUri) { return true }
        return state.withLock { $0.logins.awaits(address.equals) }
    }

    /// Completes a login: checks the callback (the URL to which the web view was redirected) and exchanges its code.
    ///
    /// - Throws: `IdentityError`. If Shopify rejected the login, `providerResponse` of the error contains Shopify's explanation. With code
    ///   `store_failed`, the login succeeded, but the token storage did not save the tokens; they are in ``currentTokens``.
    public func completeLogin(url: URL) async throws -> CustomerAccountAccessTokenResponse {
        try await Correlation.scope {
            guard isCallback(url) else {
                throw IdentityError(
                    .rejected,
                    .callbackInvalid,
                    "The URL is not a callback: it differs from the redirect URI of this client and of every pending login.",
                    hint:
                        "Pass the URL to which Shopify redirected. Compare this URL, without its query, with the redirect URI of the "
                        + "login, character by character. If they are equal, the login is no longer pending: start a new login.",
                    reference: "RFC 9700 section 4.4.2.2"
                )
            }
            return try await complete(url.absoluteString)
        }
    }

    /// If a URL is a callback, completes its login and calls the delegate with the access token or an error.
    ///
    /// Call this function for each URL that a web view is about to open. If the web view opens a callback with the same `state` again, the
    /// client does not call the delegate again.
    ///
    /// - Returns: Nil if the URL is not a callback: let the web view open the URL. Otherwise a handle that cancels the code exchange.
    @discardableResult
    public func continueLogin(url: URL) -> LoginHandle? {
        guard isCallback(url) else { return nil }
        return callingDelegate { client, logouts in
            let callback = try LoginCallback(url: url.absoluteString)
            switch client.take(try callback.state()) {
            case .pending(let attempt): return try await client.exchange(callback, attempt, since: logouts)
            case .unknown: throw AuthClient.unknownLogin
            case .repeated: return nil
            }
        }
    }

    func complete(_ url: String) async throws -> CustomerAccountAccessTokenResponse {
        let callback = try LoginCallback(url: url)
        let logouts = logouts
        guard case .pending(let attempt) = take(try callback.state()) else { throw Self.unknownLogin }
        return try await exchange(callback, attempt, since: logouts)
    }

    func take(_ state: Secret) -> PendingLogins.Match {
        self.state.withLock { $0.logins.take(state: state, at: now) }
    }

    func exchange(
        _ callback: LoginCallback,
        _ attempt: LoginAttempt,
        since logouts: Int
    ) async throws -> CustomerAccountAccessTokenResponse {
        try await save(since: logouts) { try await provider().exchange(callback, for: attempt) }
    }

    static var unknownLogin: IdentityError {
        IdentityError(
            .rejected,
            .stateUnknown,
            "The callback does not belong to a pending login of this client.",
            hint:
                "Start the login again. Possible causes: the callback was used before or is forged; the login expired; a logout or newer "
                + "logins ended the login; the app restarted during the login; another client started the login.",
            reference: "RFC 6749 section 10.12",
            isAttackSuspected: true
        )
    }

    static var unknownCode: IdentityError {
        IdentityError(
            .rejected,
            .stateUnknown,
            "The authorization code, or the code verifier that was passed with it, belongs to no pending login of this client.",
            hint:
                "Pass a code that handleCallback(url:) returned, or pass the code together with the code verifier of its login. A code "
                + "can be used once, before a logout, and within ten minutes after the start of its login. Otherwise start a new login.",
            reference: "RFC 6749 section 10.12",
            isAttackSuspected: true
        )
    }
}
