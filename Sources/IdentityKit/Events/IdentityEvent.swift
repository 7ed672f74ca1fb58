/// Something that happened to a login, a session, a provider, the store or a web request; an event never contains a secret.
public struct IdentityEvent: Sendable {
    /// The kind of an event.
    public enum Kind: Sendable, Equatable {
        /// A login began.
        case loginStarted
        /// A buyer signed in.
        case loginCompleted
        /// A login failed with this code.
        case loginFailed(IdentityError.Code)
        /// The provider issued tokens for a login that was rejected or could not be stored, so no session has the tokens.
        ///
        /// If `isRevoked` is false, the tokens may stay valid at the provider until they expire. If the token response itself was rejected,
        /// the event goes to ``IdentityEnvironment/observers``, otherwise to the observers of the ``SessionManager``.
        case loginTokensDropped(isRevoked: Bool)
        /// An access token was refreshed, before its expiry (``TokenOutcome/refreshedEarly``) or after (``TokenOutcome/refreshedLate``).
        case refreshed(TokenOutcome)
        /// A refresh returned tokens that lack scopes or the refresh token of the old tokens.
        case tokensReduced(TokenLosses)
        /// A refresh failed with this code.
        ///
        /// Only the codes `session_ended`, `rotation_lost` and `session_unknown` mean that the buyer is signed out. A process reports each
        /// error code of a stored response once, not at each attempt to validate the response. A response of another login is reported with
        /// ``IdentityEvent/isAttackSuspected``. A call that tries no refresh, because refreshes are paused or too many wait, causes no
        /// event.
        ///
        /// ``SessionManager/maintain(sweepingEvery:)`` sends the event without a session for a provider that fails
        /// ``SessionManager/checkConfiguration()``.
        case refreshFailed(IdentityError.Code)
        /// The provider may have used the refresh token, but no response showed whether it did (``RefreshRefusal/Kind/inDoubt``).
        ///
        /// After the first such failure of a refresh, the token is sent once more at once. After the second, the refresh fails, and the
        /// next refresh sends the token again.
        case refreshInDoubt
        /// A session has valid tokens again after a response was lost or could not be saved, or after a backup of the store was restored.
        case refreshRepaired
        /// A refresh waited more than 10 milliseconds for the session's lock; the event's duration is the waiting time.
        case lockWaited
        /// The circuit breaker of a provider opened: no refresh is sent to the provider for this time; other requests continue.
        ///
        /// Refreshes failed (``SessionManager/RefreshLimits/failures``), or the provider requested a pause.
        case providerPaused(Duration)
        /// The circuit breaker of a provider closed: refreshes are sent to the provider again.
        case providerResumed
        /// The store could not save new tokens or a response to a refresh; or the spool, a repair or a sweep failed; with the error's code.
        ///
        /// A repair also sends the event if it finds a record that cannot be read.
        case storeFailed(IdentityError.Code)
        /// The store could not save new tokens, or a response that is not validated yet; the spool (``SessionSpooling``) has them.
        case tokensSpooled
        /// New tokens, or a response that is not validated yet, are only in the memory of this process.
        ///
        /// If the process ends before they are saved, they are lost (``SessionTokens/warning``). A refresh sends the event at most once.
        case tokensNotDurable
        /// A sweep removed this many expired records, such as sessions, pending logins and marks of used tokens.
        case swept(Int)
        /// A session ended for this reason: the buyer has to sign in again.
        case sessionEnded(SessionEndReason)
        /// A new session replaced the event's session, after a step-up or a new sign-in of the same buyer in the same browser.
        case sessionReplaced
        /// A logout ended the session, or the routes of a web app ended a session of a buyer with too many sessions.
        case loggedOut
        /// A provider's logout token, or a browser's return from a provider's logout page, was rejected or could not be processed.
        case logoutRefused(IdentityError.Code)
        /// The tokens of an ended session or of a failed login could not be revoked; with the error's code.
        case revocationFailed(IdentityError.Code)
        /// A participant of a session, such as its cart, failed to apply a change of the session; with the error's code.
        ///
        /// The event is also sent if a new sign-in replaces a session, and the replaced session could not be ended.
        case participantFailed(IdentityError.Code)
        /// The routes or a page of a web app responded to a request with an error with this code.
        ///
        /// The page, or the JSON for a script, shows the correlation id of this event to the buyer. The event is also sent if a
        /// guest's session cannot be read; in this case, the browser gets no error.
        case requestFailed(IdentityError.Code)
        /// A provider's keys were fetched; they may be the same as before.
        case keySetRefreshed
        /// A provider's keys could not be fetched; with the error's code.
        ///
        /// Cached keys stay in use for up to two days after the provider last confirmed them.
        case keySetUnavailable(IdentityError.Code)
        /// A provider's metadata could not be fetched, or the SDK refused them; with the error's code.
        ///
        /// Metadata in memory stay in use; after a refusal, for at most two days.
        case metadataUnavailable(IdentityError.Code)
        /// The known keys do not verify a token, and a limit does not permit another fetch of the provider's keys now.
        ///
        /// The event is reported again only after a fetch was permitted.
        case keySetRefetchRefused
    }

    /// The kind of the event.
    public let kind: Kind
    /// The provider's name; empty when the event was reported without a provider, or when no registered provider has the name.
    public let provider: String
    /// The name of the session (``SessionID/reference``); nil if the event belongs to no session.
    public let session: SessionReference?
    /// How long the operation took; zero if the event does not end an operation.
    public let duration: Duration
    /// The id that the errors of the same operation have (``IdentityError/correlationID``); empty if no operation runs.
    public let correlationID: String
    /// Whether the reported error shows that an attack is possible (``IdentityError/isAttackSuspected``).
    public let isAttackSuspected: Bool
    /// The buyer's browser and its IP address, for the events of a sign-in (`login_started`, `login_completed`, `login_failed`).
    ///
    /// Nil for other events, and if the app does not pass a ``BuyerBrowser``.
    public let browser: BuyerBrowser?
}
