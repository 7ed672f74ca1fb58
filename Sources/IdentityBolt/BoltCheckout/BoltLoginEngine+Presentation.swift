internal import IdentityKit

extension BoltLoginEngine {
    /// Shows the login page with a presenter, or with the engine's presenter, and completes the login with the callback.
    ///
    /// - Returns: The handle that cancels the login.
    func present(with presenter: (any Presenter)?) -> LoginHandle {
        let presenter = presenter ?? self.presenter
        // An unstructured task, because startLogin with a completion or a delegate is not async. The handle cancels the task.
        let handle = LoginHandle(
            Task {
                do {
                    guard let presenter else { throw BoltLoginEngine.notConfigured("presenter") }
                    guard let descriptor = provider?.descriptor else {
                        throw BoltLoginEngine.notConfigured("provider")
                    }
                    let login = PresentedLogin(
                        provider: descriptor.name,
                        redirectURI: descriptor.redirectURI
                    ) { try await self.authorizationRequest(redirectURI: $0) }
                    let callbackURL = try await presenter.present(login)
                    try Task.checkCancellation()
                    guard await self.handle(callbackURL) else { throw ignoredCallback }
                } catch {
                    fail(error)
                }
            }
        )
        attach(handle)
        return handle
    }
}
