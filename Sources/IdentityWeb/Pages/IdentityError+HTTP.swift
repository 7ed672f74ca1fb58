public import IdentityKit

extension IdentityError {
    /// The status with which a server answers a browser after this error.
    ///
    /// | kind | status |
    /// | --- | --- |
    /// | `retry_later` | 503, with `Retry-After` |
    /// | `sign_in_again` | 401 |
    /// | `configuration` | 500 |
    /// | `rejected` | 403; 400 for a sign-in that expired or a malformed request; 404 for an unknown provider |
    /// | `cancelled` | 200 |
    public var httpStatus: Int {
        switch (kind, code) {
        case (_, .sessionUnknown), (_, .notSignedIn): 401
        case (.retryLater, _), (.configuration, _), (.cancelled, _), (.rejected, _): page.status
        case (.signInAgain, _): 401
        }
    }

    /// What a page for the buyer says about this error; never an internal message.
    var page: SignInPage.Content {
        switch kind {
        case .retryLater: .unavailable(retryAfter: retryAfter)
        case .cancelled: .signInCancelled
        case .signInAgain: .signInExpired
        case .configuration: code == .providerUnknown ? .notFound : .failed
        case .rejected:
            switch code {
            case .accessDenied: .signInCancelled
            case .providerUnknown: .notFound
            case .stateInvalid, .stateUnknown, .attemptExpired, .browserMismatch, .callbackInvalid, .returnPathRefused,
                .loginRequired:
                .signInExpired
            default: .signInRefused
            }
        }
    }
}

extension SignInPage.Content {
    var status: Int { SignInPage(content: self, correlationID: nil, signInLink: "", homeLink: "").status }
}
