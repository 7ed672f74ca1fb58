public import IdentityKit
internal import IdentityOIDC
internal import Synchronization

extension AuthClient {
    /// Exchanges a code from ``handleCallback(url:)`` for tokens.
    ///
    /// - Throws: `IdentityError`. With code `store_failed`, the token storage did not save the tokens; they are in ``currentTokens``. After
    ///   any other error, start a new login, because an authorization code works once.
    public func requestAccessToken(code: String) async throws -> CustomerAccountAccessTokenResponse {
        try await firstResponse(to: code, verifier: nil)
    }

    /// Exchanges a code for tokens.
    ///
    /// ``handleCallback(url:)`` checks `state` and `iss` of a callback before it returns the code. If the app reads the code from the
    /// callback itself, **the app must compare `state` before this call**. Otherwise an attacker can sign the buyer in to the attacker's
    /// account (RFC 6749 section 10.12).
    ///
    /// The ID token's signature, issuer, audience and time are always checked. Its `nonce` is checked if
    /// ``buildAuthorizationUrl(codeVerifier:options:)`` created the authorization URL. If the app built the authorization URL itself with
    /// ``generateCodeVerifier()`` and ``generateCodeChallenge(for:)``, this client does not know the `nonce` and does not check it. Such a
    /// URL must contain this client's redirect URI.
    ///
    /// - Parameters:
    ///   - code: The code from ``handleCallback(url:)``, or a code that the app read from the callback after it checked `state`.
    ///   - codeVerifier: The code verifier of the same login; the verifier works once.
    /// - Returns: The tokens.
    /// - Throws: `IdentityError`. With code `store_failed`, the token storage did not save the tokens; they are in ``currentTokens``. After
    ///   any other error, start a new login, because an authorization code works once.
    public func requestAccessToken(
        code: String,
        codeVerifier: String
    ) async throws -> CustomerAccountAccessTokenResponse {
        try await firstResponse(to: code, verifier: codeVerifier)
    }

    /// Exchanges a code for tokens and calls the delegate, as in the earlier version of Shopify's tutorial.
    ///
    /// For a code from ``handleCallback(url:)``, the client uses the code verifier of that login. For a code that the app has read from the
    /// callback itself, the client uses the latest verifier from ``generateCodeVerifier()``, which must be less than ten minutes old. An
    /// app that reads codes itself must compare `state` before this call. If such an app can have several logins at a time, the app must
    /// call ``requestAccessToken(code:codeVerifier:)`` instead.
    ///
    /// The client calls the delegate only once for each code of a login, even if the app passes the same code again.
    ///
    /// - Returns: A handle that cancels the exchange.
    @discardableResult
    public func exchangeCodeForTokens(code: String) -> LoginHandle {
        callingDelegate { try await $0.response(to: code, verifier: nil, orRecorded: true, since: $1) }
    }

    /// Exchanges a code for tokens and calls the delegate, as in Shopify's Customer Account guide.
    ///
    /// The client exchanges the code as ``requestAccessToken(code:codeVerifier:)`` does: an app that reads the code from the callback
    /// itself must compare `state` before this call. The client calls the delegate only once for each code of a login, even if the app
    /// passes the same code again.
    ///
    /// - Parameter params: The parameters of the token request: `client_id`, `grant_type`, `code`, `redirect_uri` and `code_verifier`.
    ///   `grant_type` must be `authorization_code`. `client_id` and `redirect_uri` must be those of this client; if
    ///   ``customerAccountsApiRedirectUri`` is empty, any `redirect_uri` is accepted.
    /// - Returns: A handle that cancels the exchange.
    @discardableResult
    public func exchangeCodeForTokens(params: [String: String]) -> LoginHandle {
        callingDelegate { client, logouts in
            let (code, verifier) = try client.checked(params)
            return try await client.response(to: code, verifier: verifier, since: logouts)
        }
    }

    private func checked(_ params: [String: String]) throws(IdentityError) -> (code: String, verifier: String) {
        let expected = [
            "client_id": customerAccountsApiClientId, "grant_type": "authorization_code",
            // If this client has no redirect URI, any value is accepted, because the token request contains the login's redirect URI.
            "redirect_uri": customerAccountsApiRedirectUri.isEmpty
                ? params["redirect_uri"] ?? "" : customerAccountsApiRedirectUri,
        ]
        for (name, value) in expected where !(params[name]?.isIdentical(to: value) ?? false) {
            throw Self.invalidParameters("\(name) is missing or has a wrong value")
        }
        guard params.count == expected.count + 2, let code = params["code"], let verifier = params["code_verifier"]
        else {
            throw Self.invalidParameters("code or code_verifier is missing, or there is an unknown parameter")
        }
        return (code, verifier)
    }

    private static func invalidParameters(_ problem: String) -> IdentityError {
        IdentityError(
            configuration: "The parameters of the token request are wrong: \(problem).",
            hint:
                "Pass client_id, grant_type, code, redirect_uri and code_verifier, and nothing else. Set grant_type to "
                + "authorization_code, and set client_id and redirect_uri to the values of this AuthClient.",
            reference: "RFC 6749 section 4.1.3"
        )
    }

    private func firstResponse(
        to code: String,
        verifier: String?
    ) async throws -> CustomerAccountAccessTokenResponse {
        guard let response = try await response(to: code, verifier: verifier, since: logouts) else {
            throw Self.unknownCode
        }
        return response
    }

    /// Exchanges a code for tokens; returns nil if the code was passed before.
    private func response(
        to code: String,
        verifier: String?,
        orRecorded usesRecorded: Bool = false,
        since logouts: Int
    ) async throws -> CustomerAccountAccessTokenResponse? {
        try await Correlation.scope {
            let provider = try provider()
            if let verifier { try PKCE.check(verifier) }
            let code = Secret(code)
            let owner = state.withLock {
                $0.logins.take(code: code, verifier: verifier.map { Secret($0) }, orRecorded: usesRecorded, at: now)
            }
            switch owner {
            case .checked(let login): return try await exchange(login.callback, login.attempt, since: logouts)
            case .pending(let attempt):
                return try await save(since: logouts) {
                    try await provider.client.exchange(code: code, for: attempt)
                }
            case .app(let verifier):
                return try await save(since: logouts) {
                    try await provider.client.exchange(
                        code: code,
                        for: try await provider.attempt(codeVerifier: verifier)
                    )
                }
            case .repeated: return nil
            case .unknown: throw Self.unknownCode
            }
        }
    }
}
