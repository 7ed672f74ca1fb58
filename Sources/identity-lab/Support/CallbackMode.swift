internal import IdentityHTTP
internal import IdentityKit
internal import IdentityPresentation
internal import IdentitySandbox

/// How the program receives the callback of a login; `Option.callback` describes the modes.
enum CallbackMode: String, CaseIterable, Sendable {
    case loopback
    case stdin
    case sandbox

    static func standard(for redirectURI: String?) -> CallbackMode {
        guard let redirectURI, let url = try? HTTPURL(redirectURI), !url.isSecure, url.isLoopback else { return .stdin }
        return .loopback
    }

    /// Creates the presenter for this mode; the presenter first passes the authorization URL to `announce`.
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
    /// Shows the provider's logout page, and returns the URL with which the browser came back; with `stdin`, a person opens the page.
    ///
    /// `page` gets `address`, ends the session, and returns the URL of the logout page. If `page` returns nil, the browser cannot come back
    /// to `address`, and this method returns nil. At the end of standard input, this method throws `CancellationError`.
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
