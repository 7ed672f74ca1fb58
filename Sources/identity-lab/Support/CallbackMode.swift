internal import IdentityHTTP
internal import IdentityKit
internal import IdentityPresentation
internal import IdentitySandbox

/// How the program receives the callback of a login.
enum CallbackMode: String, CaseIterable, Sendable {
    case loopback
    case stdin
    case sandbox

    /// The default mode for a redirect URI.
    static func standard(for redirectURI: String?) -> CallbackMode {
        guard let redirectURI, let url = try? HTTPURL(redirectURI), !url.isSecure, url.isLoopback else { return .stdin }
        return .loopback
    }

    /// Creates the presenter for this mode; the presenter passes the authorization URL to `announce` before it opens the URL.
    func presenter(
        transport: any HTTPTransport,
        announce: @escaping @Sendable (HTTPURL) -> Void
    ) -> any FormPostPresenting {
        let inner: any FormPostPresenting =
            switch self {
            case .loopback: LoopbackPresenter()
            case .stdin: ManualPresenter { _ in }
            case .sandbox: SandboxBuyer(transport: transport)
            }
        return AnnouncingPresenter(inner: inner, announce: announce)
    }
}

extension CallbackMode {
    /// Ends a session, sends the browser to the provider's logout page, and waits for the browser's return.
    ///
    /// - Parameters:
    ///   - address: The post-logout redirect URI that is registered at the provider.
    ///   - transport: The transport of the sandbox's robot.
    ///   - page: Ends the session, and returns the provider's logout page, which leads to the given address; nil if the browser will not
    ///     return.
    /// - Returns: The URL with which the browser returned; nil if `page` returned nil.
    /// - Throws: The errors of `page`, the errors of the listener or the robot, and `CancellationError` at the end of standard input.
    func logoutReturn(
        to address: String,
        transport: any HTTPTransport,
        page: (String) async throws -> HTTPURL?
    ) async throws -> String? {
        guard self != .loopback else {
            return try await LoopbackPresenter().presentLogout(returningTo: address, page: page)
        }
        guard let page = try await page(address) else { return nil }
        guard self == .stdin else {
            return try await SandboxBuyer(transport: transport).login(at: page.text, redirectURI: address)
        }
        guard let line = try await StandardInput().nextText() else { throw CancellationError() }
        return line
    }
}

/// A presenter that passes the authorization URL to a closure before another presenter opens it.
private struct AnnouncingPresenter: FormPostPresenting {
    let inner: any FormPostPresenting
    let announce: @Sendable (HTTPURL) -> Void

    func present(_ login: PresentedLogin) async throws -> String {
        try await inner.present(login.announcing(announce))
    }

    func presentCatchingForms(_ login: PresentedLogin) async throws -> PresentedCallback {
        try await inner.presentCatchingForms(login.announcing(announce))
    }
}
