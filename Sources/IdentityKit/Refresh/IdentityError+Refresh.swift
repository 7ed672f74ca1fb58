extension IdentityError {
    package static var unknownSession: IdentityError {
        IdentityError(
            .signInAgain,
            .sessionUnknown,
            "The session does not exist.",
            hint: """
                Treat the buyer as signed out, and let the buyer sign in again where a login is needed. The session has ended or expired, \
                it belongs to another store or tenant, or its id was never issued.
                """
        )
    }

    static func ended(_ reason: SessionEndReason, because error: IdentityError? = nil) -> IdentityError {
        if reason == .guest {
            return IdentityError(
                .signInAgain,
                .notSignedIn,
                "The session is a guest's session without tokens.",
                hint: "Let the buyer sign in; the login creates a new session."
            )
        }
        let isLost = reason == .lostRotation
        return IdentityError(
            .signInAgain,
            isLost ? .rotationLost : .sessionEnded,
            isLost
                ? "The provider no longer accepts the refresh token. A newer one was probably lost with a response or a restored backup."
                : "The provider has ended this session.",
            hint: "Let the buyer sign in again.",
            reference: error?.reference,
            providerResponse: error?.providerResponse,
            cause: error
        )
    }

    /// The same error, with a hint about the stored response.
    var withKeptResponse: IdentityError {
        guard kind == .rejected else { return self }
        let kept = isAttackSuspected ? Self.mismatchHint : Self.keptResponseHint
        return recast(hint: hint.map { "\(kept) \($0)" } ?? kept)
    }

    /// The error for a stored response of another login; `error` says why it cannot be validated again now.
    static func otherLogin(_ mismatch: Code, because error: IdentityError? = nil) -> IdentityError {
        let problem = "The provider's response to the session's last refresh belongs to another login"
        return IdentityError(
            .rejected,
            mismatch,
            error == nil ? "\(problem)." : "\(problem), and cannot be validated again now.",
            hint: mismatchHint,
            reference: "OpenID Connect Core section 12.2",
            isAttackSuspected: true,
            cause: error
        )
    }

    private static let keptResponseHint =
        "The session keeps the provider's response and validates it again at every call that needs a token."

    private static let mismatchHint = """
        Alert an operator, and let the buyer sign in again. The SDK returns no token of this session. \
        \(keptResponseHint) If the provider changed, for example its issuer, correct the configuration.
        """

    package static var withoutRefreshToken: IdentityError {
        IdentityError(
            .signInAgain,
            .notRefreshable,
            "The session has no refresh token, so it ends when its access token expires.",
            hint:
                "Let the buyer sign in again. Some providers issue refresh tokens only if scopes contains offline_access.",
            reference: "RFC 6749 section 6"
        )
    }

    static var tokensNotDurable: IdentityError {
        IdentityError(
            .retryLater,
            .tokensNotDurable,
            "The session's new tokens are in memory only, because the store could not save them and no spool keeps them.",
            hint: """
                Repair the store, or its spool directory if it has one: the next call or `repair()` then saves the tokens. If the \
                process ends before that, the buyer may have to sign in again. With PostgreSQL, set spoolDirectory (in the configuration \
                file: spool) to avoid this.
                """
        )
    }

    /// The error for tokens that cannot be refreshed before the store has saved them; `warning` says that they are not durable.
    static func unsaved(_ message: String, _ warning: IdentityError?) -> IdentityError {
        IdentityError(
            .retryLater,
            .storeFailed,
            message,
            hint: warning?.hint
                ?? "Make the store writable. The next call then saves the tokens, which are not lost, and refreshes the session."
        )
    }

    static func unreadableResponse(of provider: String) -> IdentityError {
        IdentityError(
            configuration:
                "A stored token response cannot be read, because the provider \"\(provider)\" does not implement JournaledRefreshing.",
            hint:
                "Configure under this name the provider that sent the response, or end the session, so that the buyer signs in again."
        )
    }

    static var lockLost: IdentityError {
        IdentityError(
            .retryLater,
            .refreshBusy,
            "The session's lock was lost, or would have expired, before its refresh was complete.",
            hint:
                "Try again. If this happens often, check the connection to the store, and whether refreshes wait long for the provider."
        )
    }

    static var refreshTakesLong: IdentityError {
        IdentityError(
            .retryLater,
            .refreshBusy,
            "A refresh of the session, by this or another process, has not finished yet.",
            hint: "Try again."
        )
    }

    /// A defect of ``RefreshStateMachine``: an event that cannot occur in its step.
    package static var unexpectedRefreshEvent: IdentityError {
        IdentityError(
            .retryLater,
            .systemFailure,
            "A step of the session's refresh had a result that should never occur.",
            hint: "This is a defect in IdentityKit: report it. Try again."
        )
    }
}
