extension IdentityError {
    static var unknownSession: IdentityError {
        IdentityError(
            .signInAgain,
            .sessionUnknown,
            "The session does not exist.",
            hint: "The buyer signed out, the session has expired, or it belongs to another store."
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
                ? "The provider's last response, which contained the new refresh token, was lost, and the provider no longer accepts the old one."
                : "The provider has ended this session.",
            hint: "Let the buyer sign in again.",
            reference: error?.reference,
            providerAnswer: error?.providerAnswer,
            cause: error
        )
    }

    /// The same error, with a hint about the stored answer.
    var withKeptAnswer: IdentityError {
        guard kind == .rejected else { return self }
        let kept = isAttackSuspected ? Self.verdictHint : Self.keptAnswerHint
        return IdentityError(
            kind,
            code,
            message,
            hint: hint.map { "\(kept) \($0)" } ?? kept,
            reference: reference,
            retryAfter: retryAfter,
            providerAnswer: providerAnswer,
            isAttackSuspected: isAttackSuspected,
            cause: cause
        )
    }

    /// The error for an answer with a stored verdict, which cannot be validated again now where `error` says why.
    static func standing(_ verdict: Code, because error: IdentityError? = nil) -> IdentityError {
        let problem = "The provider's answer to the session's last refresh belongs to another login"
        return IdentityError(
            .rejected,
            verdict,
            error == nil ? "\(problem)." : "\(problem), and cannot be checked again now.",
            hint: verdictHint,
            reference: "OpenID Connect Core section 12.2",
            isAttackSuspected: true,
            cause: error
        )
    }

    private static let keptAnswerHint = "The session keeps the provider's answer and checks it again at every call."

    private static let verdictHint = """
        Alert an operator, and let the buyer sign in again. No token of this session is handed out. \
        \(keptAnswerHint) If the provider changed, for example its issuer, correct the configuration.
        """

    static var withoutRefreshToken: IdentityError {
        IdentityError(
            .signInAgain,
            .notRefreshable,
            "The provider issued no refresh token, so the session ends with its access token.",
            hint: "Let the buyer sign in again."
        )
    }

    static var tokensNotDurable: IdentityError {
        IdentityError(
            .retryLater,
            .tokensNotDurable,
            "The session's new tokens are in memory only, because neither the store nor its spool could save them.",
            hint: """
                Repair the store, or make its spool directory writable, before this process ends: the next call or repair then saves \
                the tokens. If the process ends before, the buyer has to sign in again.
                """
        )
    }

    static func unreadableAnswer(of provider: String) -> IdentityError {
        IdentityError(
            configuration:
                "A stored answer with new tokens cannot be read, because the provider \"\(provider)\" does not implement JournaledRefreshing.",
            hint: "Register under this name the provider that sent the refresh, or remove the session."
        )
    }

    static var lockLost: IdentityError {
        IdentityError(
            .retryLater,
            .refreshBusy,
            "The session's lock was lost before its refresh was complete.",
            hint: "Try again. Check the connection to the store if this happens often."
        )
    }

    static var refreshTakesLong: IdentityError {
        IdentityError(
            .retryLater,
            .refreshBusy,
            "A refresh of the session, by this or another process, did not finish in time.",
            hint: "Try again."
        )
    }

    /// A defect of ``RefreshStateMachine``: an event that cannot occur in its step.
    package static var unexpectedRefreshEvent: IdentityError {
        IdentityError(
            .retryLater,
            .systemFailure,
            "A step of the refresh had an impossible result.",
            hint: "This is a defect in IdentityKit: report it. Try again."
        )
    }
}
