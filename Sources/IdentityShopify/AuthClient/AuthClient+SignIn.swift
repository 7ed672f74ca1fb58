public import IdentityKit
internal import Synchronization

extension AuthClient {
    /// Signs a buyer in with a presenter, such as a loopback listener with a browser.
    ///
    /// The presenter shows the login page and receives the callback. See ``ShopifyLoginOptions`` for the `options` of the login page.
    ///
    /// - Throws: `IdentityError`, of kind `cancelled` if the login was cancelled. A call of ``logout(idToken:)`` also ends the login: with
    ///   code `state_unknown` while the login page is shown, and with kind `cancelled` at other times.
    public func login(
        with presenter: any Presenter,
        options: LoginOptions = LoginOptions()
    ) async throws -> CustomerAccountAccessTokenResponse {
        try await login(with: presenter, options: options, since: logouts)
    }

    private func login(
        with presenter: any Presenter,
        options: LoginOptions,
        since logouts: Int
    ) async throws -> CustomerAccountAccessTokenResponse {
        let attempt = Mutex<LoginAttempt?>(nil)
        return try await Correlation.scope {
            do {
                let descriptor = try provider().descriptor
                let redirectURI = options.redirectURI ?? descriptor.redirectURI
                let login = PresentedLogin(provider: descriptor.name, redirectURI: redirectURI) { [self] redirectURI in
                    var options = options
                    options.redirectURI = redirectURI
                    let request = try await begin(codeVerifier: try newVerifier(), options: options, since: logouts)
                    attempt.withLock { $0 = request.attempt }
                    return request
                }
                let callback = try await presenter.present(login)
                try Task.checkCancellation()
                let state = try LoginCallback(url: callback).state()
                // The presenter may have returned the callback of another login of this client.
                guard let attempt = attempt.withLock(\.self), attempt.state.isEqual(to: state) else {
                    throw Self.unknownLogin
                }
                try LoginFlow.check(callback, against: attempt.redirectURI)
                return try await complete(callback)
            } catch {
                // The pending login is removed, so that its callback cannot sign the buyer in after this error.
                if let attempt = attempt.withLock(\.self) { _ = take(attempt.state) }
                throw IdentityError.wrapping(error)
            }
        }
    }

    /// Signs a buyer in as ``login(with:options:)`` does, and calls `completion` exactly once on the client's `callbackExecutor`.
    ///
    /// - Returns: A handle that cancels the login.
    @discardableResult
    public func login(
        with presenter: any Presenter,
        options: LoginOptions = LoginOptions(),
        completion: @escaping @Sendable (Result<CustomerAccountAccessTokenResponse, IdentityError>) -> Void
    ) -> LoginHandle {
        // `logouts` is read before the task starts: if the app calls a logout next, this logout must end the login.
        let logouts = logouts
        return LoginHandle(
            executor.run(
                { try await self.login(with: presenter, options: options, since: logouts) },
                completion: completion
            )
        )
    }

    /// Signs a buyer in as ``login(with:options:)`` does, and calls the delegate exactly once.
    ///
    /// - Returns: A handle that cancels the login.
    @discardableResult
    public func startLogin(with presenter: any Presenter, options: LoginOptions = LoginOptions()) -> LoginHandle {
        callingDelegate { try await $0.login(with: presenter, options: options, since: $1) }
    }

    /// Runs a login and calls the delegate with the access token or the error; if the login returns nil, the delegate is not called.
    ///
    /// The closure gets this client, and the value of ``logouts`` at the start of this method, so that a later logout ends the login.
    func callingDelegate(
        _ login: @escaping @Sendable (AuthClient, Int) async throws -> CustomerAccountAccessTokenResponse?
    ) -> LoginHandle {
        let logouts = logouts
        return LoginHandle(
            executor.run({ try await login(self, logouts)?.accessToken }) { result in
                let delegate = self.state.withLock { $0.delegate }.delegate
                switch result {
                case .success(let token?): delegate?.loginComplete(token: token)
                case .success(nil): break
                case .failure(let error): delegate?.loginFailed(error: error.description)
                }
            }
        )
    }
}
