public import IdentityKit

extension IdentityError {
    /// The HTTP status of the response to a request that failed with this error.
    ///
    /// `SignInRoutes` uses it for error pages and JSON errors. There are two exceptions: back-channel logout has its own statuses. The
    /// route `logout/done` responds to a rejected request with status 400, or with a redirect if the buyer is signed in.
    ///
    /// | kind | code | status |
    /// | --- | --- | --- |
    /// | `retry_later` | any | 503, with `httpRetryAfter` |
    /// | `sign_in_again` | any, for example `session_unknown` and `not_signed_in` | 401 |
    /// | `configuration` | any, for example `provider_unknown` for the provider of a stored session | 500 |
    /// | `rejected` | any | 403; 404 for `provider_unknown`; 200 for `access_denied`; 400 for the codes below |
    /// | `cancelled` | any | 503, with `httpRetryAfter` |
    ///
    /// The codes with status 400 are `state_invalid`, `state_unknown`, `attempt_expired`, `browser_mismatch`, `callback_invalid` and
    /// `return_path_refused`.
    public var httpStatus: Int { kind == .signInAgain ? 401 : SignInPage.Content(self).status }

    /// The value of `Retry-After` for a response with status 503, by default 5 seconds; nil for an error with another status.
    public var httpRetryAfter: Duration? { SignInPage.Content(self).retryAfter }

    /// The English sentence that the page of this error shows to the buyer; the sentence contains nothing of the error's message.
    public var buyerSentence: String { StandardPages.sentence(for: SignInPage.Content(self)) }
}

extension SignInPage.Content {
    /// Creates the content of the page for an error; the content contains nothing of the error's message.
    public init(_ error: IdentityError) {
        self =
            switch (error.kind, error.code) {
            case (.rejected, .providerUnknown): .notFound
            case (.rejected, .accessDenied): .signInCancelled
            // `cancelled` means that the task of the request was cancelled, for example by a time limit of the server.
            case (.retryLater, _), (.cancelled, _): .unavailable(retryAfter: error.retryAfter)
            case (.configuration, _): .failed
            case (.signInAgain, _), (.rejected, .stateInvalid), (.rejected, .stateUnknown),
                (.rejected, .attemptExpired), (.rejected, .browserMismatch), (.rejected, .callbackInvalid),
                (.rejected, .returnPathRefused):
                .signInExpired
            case (.rejected, _): .signInRefused
            }
    }

    /// The status of a page with this content; the page of an error has the status `IdentityError.httpStatus` instead.
    var status: Int {
        switch self {
        case .chooseProvider, .signInCancelled, .signedOut, .confirmSignOut: 200
        case .signInExpired: 400
        case .signInRefused, .requestRefused: 403
        case .notFound: 404
        case .tooManySignIns: 429
        case .failed: 500
        case .unavailable: 503
        }
    }

    /// How long the buyer should wait (`Retry-After`), 5 seconds for `unavailable(retryAfter: nil)`; nil if the buyer need not wait.
    public var retryAfter: Duration? {
        switch self {
        case .unavailable(let pause): pause ?? .seconds(5)
        case .tooManySignIns(let pause): pause
        default: nil
        }
    }
}
