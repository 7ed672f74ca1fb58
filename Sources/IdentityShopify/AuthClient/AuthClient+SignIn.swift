public import IdentityKit
internal import Synchronization

extension AuthClient {
    /// Signs a buyer in with a presenter, such as a loopback listener with a browser.
    ///
    /// - Parameters:
    ///   - presenter: Shows the login page and receives the callback.
    ///   - options: Options of Shopify's login page; see ``ShopifyLoginOptions``.
    /// - Returns: The tokens.
    /// - Throws: `IdentityError`; of kind `cancelled` when the login was cancelled, or when ``logout(idToken:)`` was called before the
    ///   authorization URL was created or during the code exchange. If ``logout(idToken:)`` was called between them, the error has code
    ///   `state_unknown`.
    public func login(
        with presenter: any Presenter,
        options: LoginOptions = LoginOptions()
    ) async throws -> CustomerAccountAccessTokenResponse {
        let logouts = logouts
        return try await Correlation.scope {
            do {
                let descriptor = try provider().descriptor
                let login = PresentedLogin(provider: descriptor.name, redirectURI: descriptor.redirectURI) {
                    [self] redirectURI in
                    var options = options
                    options.redirectURI = redirectURI
                    return try await begin(codeVerifier: try newVerifier(), options: options, since: logouts)
                }
                let callback = try await presenter.present(login)
                try Task.checkCancellation()
                return try await complete(callback)
            } catch {
                throw IdentityError.wrapping(error)
            }
        }
    }

    /// Signs a buyer in with a presenter and calls a completion handler.
    ///
    /// - Parameters:
    ///   - presenter: Shows the login page and receives the callback.
    ///   - options: Options of Shopify's login page; see ``ShopifyLoginOptions``.
    ///   - completion: Called exactly once, on the client's `callbackExecutor`.
    /// - Returns: A handle that cancels the login.
    @discardableResult
    public func login(
        with presenter: any Presenter,
        options: LoginOptions = LoginOptions(),
        completion: @escaping @Sendable (Result<CustomerAccountAccessTokenResponse, IdentityError>) -> Void
    ) -> LoginHandle {
        LoginHandle(executor.run({ try await self.login(with: presenter, options: options) }, completion: completion))
    }

    /// Signs a buyer in with a presenter and calls the delegate exactly once.
    ///
    /// - Parameters:
    ///   - presenter: Shows the login page and receives the callback.
    ///   - options: Options of Shopify's login page; see ``ShopifyLoginOptions``.
    /// - Returns: A handle that cancels the login.
    @discardableResult
    public func startLogin(with presenter: any Presenter, options: LoginOptions = LoginOptions()) -> LoginHandle {
        callingDelegate { try await $0.login(with: presenter, options: options) }
    }

    /// Runs a login and calls the delegate with its outcome; the delegate is not called if the login returns nil.
    func callingDelegate(
        _ login: @escaping @Sendable (AuthClient) async throws -> CustomerAccountAccessTokenResponse?
    ) -> LoginHandle {
        LoginHandle(
            executor.run({ try await login(self)?.accessToken }) { result in
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
