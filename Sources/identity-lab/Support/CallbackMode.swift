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

    /// Creates the presenter for this mode, which announces the authorization URL first.
    func presenter(
        transport: any HTTPTransport,
        announce: @escaping @Sendable (HTTPURL) -> Void
    ) -> any Presenter {
        let inner: any Presenter =
            switch self {
            case .loopback: LoopbackPresenter()
            case .stdin: ManualPresenter { _ in }
            case .sandbox: SandboxBuyer(transport: transport)
            }
        return inner.announcing(announce)
    }
}

/// A presenter that passes the authorization URL to a closure before another presenter opens it.
struct AnnouncingPresenter<Inner: Presenter>: Presenter {
    let inner: Inner
    let announce: @Sendable (HTTPURL) -> Void

    func present(_ login: PresentedLogin) async throws -> String {
        try await inner.present(login.announcing(announce))
    }
}

extension AnnouncingPresenter: FormPostPresenting where Inner: FormPostPresenting {
    func presentCatchingForms(_ login: PresentedLogin) async throws -> PresentedCallback {
        try await inner.presentCatchingForms(login.announcing(announce))
    }
}

extension Presenter {
    /// Wraps the presenter in one that announces the URL; the result accepts form posts if this presenter does.
    func announcing(_ announce: @escaping @Sendable (HTTPURL) -> Void) -> any Presenter {
        AnnouncingPresenter(inner: self, announce: announce)
    }
}
