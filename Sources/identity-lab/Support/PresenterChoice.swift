internal import IdentityHTTP
internal import IdentityKit
internal import IdentityPresentation
internal import IdentitySandbox

/// How a callback comes back to the program.
enum CallbackMode: String, CaseIterable, Sendable {
    case loopback
    case stdin
    case sandbox

    /// The mode for a redirect URI where none was asked for.
    static func suited(to redirectURI: String?) -> CallbackMode {
        guard let redirectURI, let url = try? HTTPURL(redirectURI), !url.isSecure, url.isLoopback else { return .stdin }
        return .loopback
    }

    /// The presenter for this mode; whichever it is, the authorization URL is announced first.
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

/// Tells the authorization URL before anybody opens it or waits for the way back.
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
    /// The same presenter, which catches forms if this one does.
    func announcing(_ announce: @escaping @Sendable (HTTPURL) -> Void) -> any Presenter {
        AnnouncingPresenter(inner: self, announce: announce)
    }
}
