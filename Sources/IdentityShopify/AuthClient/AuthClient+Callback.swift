public import FoundationEssentials
internal import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC
internal import Synchronization

extension AuthClient {
    /// The code of a callback, or nil when the URL is not the callback of a login that this client began.
    ///
    /// The state is checked and the login is used up, whatever else the callback says; a second call with the same URL
    /// returns nil. ``completeLogin(url:)`` does the same, says what was wrong and fetches the tokens.
    public func handleCallback(url: URL) -> String? {
        guard isCallback(url), let provider = try? provider(),
            let callback = try? LoginCallback(url: url.absoluteString), let state = try? callback.value(of: "state")
        else { return nil }
        guard case .pending(let attempt) = take(state),
            let response = try? AuthorizationResponse(callback, expecting: provider.expectations(attempt))
        else { return nil }
        let answer = PendingLogins.Answered(code: response.code, callback: callback, attempt: attempt)
        self.state.withLock { $0.logins.add(answer) }
        return response.code.reveal()
    }

    /// Whether a URL is where this client's logins come back to: a web view shows any other.
    public func isCallback(_ url: URL) -> Bool {
        let place = Self.place(url.absoluteString)
        func matches(_ redirectURI: String) -> Bool { Self.place(redirectURI).elementsEqual(place) }
        if !customerAccountsApiRedirectUri.isEmpty, matches(customerAccountsApiRedirectUri) { return true }
        return state.withLock { $0.logins.awaits(matches) }
    }

    /// Completes a login: checks the callback and exchanges its code.
    ///
    /// - Parameter url: The URL to which the web view was redirected.
    /// - Throws: `IdentityError`, with Shopify's own words in its provider answer.
    public func completeLogin(url: URL) async throws -> CustomerAccountAccessTokenResponse {
        try await Correlation.scope {
            guard isCallback(url) else {
                throw IdentityError(
                    .rejected,
                    .callbackInvalid,
                    "The URL is not this client's redirect URI.",
                    hint: "Compare the registered redirect URI with the configured one, character by character.",
                    reference: "RFC 9700 section 4.4.2.2"
                )
            }
            return try await complete(url.absoluteString)
        }
    }

    /// Completes a login and tells the delegate: for a web view that decides about a navigation.
    ///
    /// - Parameter url: Where the web view is about to go.
    /// - Returns: Nil when the URL is no callback and the web view should go on. Otherwise a handle, and the delegate is told
    ///   exactly once how the login ended; a repeated callback tells it nothing.
    @discardableResult
    public func continueLogin(url: URL) -> LoginHandle? {
        guard isCallback(url) else { return nil }
        return told { client in
            let callback = try LoginCallback(url: url.absoluteString)
            guard let state = try callback.value(of: "state") else { throw AuthClient.unknownLogin }
            switch client.take(state) {
            case .pending(let attempt): return try await client.exchange(callback, attempt)
            case .unknown: throw AuthClient.unknownLogin
            case .repeated: return nil
            }
        }
    }

    /// Signs a buyer in with a presenter, such as a loopback listener with a browser.
    ///
    /// - Parameters:
    ///   - presenter: Shows the login page and catches the callback.
    ///   - options: What to ask Shopify's page for; see ``ShopifyLoginOptions``.
    /// - Throws: `IdentityError`; of kind `cancelled` when the buyer gave up.
    public func login(
        with presenter: any Presenter,
        options: LoginOptions = LoginOptions()
    ) async throws -> CustomerAccountAccessTokenResponse {
        try await Correlation.scope {
            do {
                let descriptor = try provider().descriptor
                let login = PresentedLogin(provider: descriptor.name, redirectURI: descriptor.redirectURI) {
                    [self] redirectURI in
                    var options = options
                    options.redirectURI = redirectURI
                    return try await begin(codeVerifier: generateCodeVerifier(), options: options)
                }
                let callback = try await presenter.present(login)
                try Task.checkCancellation()
                return try await complete(callback)
            } catch {
                throw IdentityError.wrapping(error)
            }
        }
    }

    /// Signs a buyer in with a presenter and tells the delegate, exactly once, how it ended.
    ///
    /// - Parameters:
    ///   - presenter: Shows the login page and catches the callback.
    ///   - options: What to ask Shopify's page for; see ``ShopifyLoginOptions``.
    /// - Returns: A handle by which to cancel.
    @discardableResult
    public func startLogin(with presenter: any Presenter, options: LoginOptions = LoginOptions()) -> LoginHandle {
        told { try await $0.login(with: presenter, options: options) }
    }

    /// Runs a login and tells the delegate how it ended; nothing when there is nothing to tell.
    private func told(
        _ login: @escaping @Sendable (AuthClient) async throws -> CustomerAccountAccessTokenResponse?
    ) -> LoginHandle {
        // Unstructured: the caller has no task to be a child of; the handle cancels it.
        LoginHandle(
            Task {
                let result: Result<String?, IdentityError>
                do {
                    result = .success(try await login(self)?.accessToken)
                } catch {
                    result = .failure(IdentityError.wrapping(error))
                }
                executor.execute { [weak delegate] in
                    switch result {
                    case .success(let token?): delegate?.loginComplete(token: token)
                    case .success(nil): break
                    case .failure(let error): delegate?.loginFailed(error: error.description)
                    }
                }
            }
        )
    }

    private func complete(_ url: String) async throws -> CustomerAccountAccessTokenResponse {
        let callback = try LoginCallback(url: url)
        guard let state = try callback.value(of: "state"), case .pending(let attempt) = take(state) else {
            throw Self.unknownLogin
        }
        return try await exchange(callback, attempt)
    }

    private func take(_ state: Secret) -> PendingLogins.Match {
        self.state.withLock { $0.logins.take(state: state, at: now) }
    }

    func exchange(
        _ callback: LoginCallback,
        _ attempt: LoginAttempt
    ) async throws -> CustomerAccountAccessTokenResponse {
        remember(try await provider().exchange(callback, for: attempt))
    }

    static var unknownLogin: IdentityError {
        IdentityError(
            .rejected,
            .stateUnknown,
            "The callback belongs to no pending login of this client.",
            hint: "It was used before, has expired, or the login was begun elsewhere. Start the login again.",
            reference: "RFC 6749 section 10.12"
        )
    }

    private static func place(_ url: String) -> some Sequence<UInt8> {
        url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    }
}
