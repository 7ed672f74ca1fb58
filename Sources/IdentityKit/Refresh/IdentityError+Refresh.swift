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
                ? "The provider rejected the refresh token. A newer refresh token was probably lost: with the response to an earlier "
                    + "request, or because a backup was restored."
                : "The session has ended: the provider no longer accepts its refresh token.",
            hint: "Let the buyer sign in again.",
            reference: error?.reference,
            providerResponse: error?.providerResponse,
            cause: error
        )
    }

    /// This error with a hint that the SDK keeps the provider's response; an error of another kind than `rejected` stays unchanged.
    var withKeptResponse: IdentityError {
        guard kind == .rejected else { return self }
        let hints = isAttackSuspected ? [Self.mismatchHint, hint] : [hint, Self.keptResponseHint]
        return recast(hint: hints.compactMap(\.self).joined(separator: " "))
    }

    /// `error` says why the response cannot be validated again now; nil if the call did not try to validate the response.
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
        "The SDK keeps the provider's response, and validates it again when a call needs a token of the session."

    private static let mismatchHint = """
        Alert an operator, and let the buyer sign in again. If the provider changed, for example its issuer, correct the provider's \
        configuration. The SDK returns no token of the session. \(keptResponseHint)
        """

    package static var withoutRefreshToken: IdentityError {
        IdentityError(
            .signInAgain,
            .notRefreshable,
            "The session's access token cannot be refreshed, because the session has no refresh token.",
            hint: """
                Let the buyer sign in again. If the provider issues refresh tokens only for the scope offline_access, first add \
                offline_access to the provider's scopes.
                """,
            reference: "RFC 6749 section 6"
        )
    }

    static var tokensNotDurable: IdentityError {
        IdentityError(
            .retryLater,
            .tokensNotDurable,
            "The session's new tokens exist only in this process's memory: the store could not save them, and they are not in a spool.",
            hint: """
                Keep this process running: if it ends before the tokens are saved, the buyer may have to sign in again. Repair the \
                store, or its spool directory if it has one. Then call `repair()` in this process to save the tokens; the next call for \
                the session in this process saves them too. With PostgreSQL, set spoolDirectory (in the configuration file: \
                store.spool), so that the SDK keeps such tokens on disk in future.
                """
        )
    }

    /// The error for new tokens that cannot be refreshed before the store has saved them.
    ///
    /// `warning` is ``tokensNotDurable`` if the tokens are only in memory, otherwise nil.
    static func unsaved(_ message: String, _ warning: IdentityError?) -> IdentityError {
        IdentityError(
            .retryLater,
            .storeFailed,
            message,
            hint: warning?.hint
                ?? """
                Check that this machine can reach the store and write to the store. Then try again on this machine: later calls for the \
                session save the new tokens and refresh the session. The tokens are not lost.
                """
        )
    }

    static func unreadableResponse(of provider: String) -> IdentityError {
        IdentityError(
            configuration:
                "A stored response to a refresh cannot be validated: provider \"\(provider)\" does not implement JournaledRefreshing.",
            hint: """
                Under the name "\(provider)", configure the provider that sent the response. If this is not possible, end the session, \
                so that the buyer signs in again.
                """
        )
    }

    static var lockLost: IdentityError {
        IdentityError(
            .retryLater,
            .refreshBusy,
            "This process may have lost the session's lock during the refresh, or the lock's remaining time was too short for the request.",
            hint:
                "Try again. If this error happens often, check the connection to the store, and how long the provider takes for a refresh."
        )
    }

    static var otherResponseStored: IdentityError {
        IdentityError(
            .retryLater,
            .refreshBusy,
            "The provider rejected the session's refresh token, but another process has stored a response that may contain newer tokens.",
            hint: "Try again: the next refresh validates the stored response."
        )
    }

    static var refreshTakesLong: IdentityError {
        IdentityError(
            .retryLater,
            .refreshBusy,
            "A refresh of the session, in this or another process, has not finished yet.",
            hint: "Try again."
        )
    }

    package static var unexpectedRefreshEvent: IdentityError {
        IdentityError(
            .retryLater,
            .systemFailure,
            "A step of the session's refresh had a result that should never occur.",
            hint: "Try again. Report this error to the developers of IdentityKit: the error is a defect in IdentityKit."
        )
    }
}
