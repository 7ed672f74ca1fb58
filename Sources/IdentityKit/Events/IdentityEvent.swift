/// Something that happened to a login or a session; never holds a secret.
public struct IdentityEvent: Sendable {
    /// What happened.
    public enum Kind: Sendable, Equatable {
        /// A login began.
        case loginStarted
        /// A buyer signed in.
        case loginCompleted
        /// A login failed with this code.
        case loginFailed(IdentityError.Code)
        /// The provider gave tokens for a login that was then refused or could not be stored: no session has them. They were
        /// revoked, or they stay valid at the provider until they expire there.
        case loginTokensDropped(isRevoked: Bool)
        /// An access token was renewed, before its time (``TokenOutcome/renewedEarly``) or after it.
        case renewed(TokenOutcome)
        /// A renewal failed; the session lives on unless the code says otherwise. A stored answer that cannot be accepted is
        /// reported once for each error code, not at each repair.
        case renewalFailed(IdentityError.Code)
        /// A refresh token was sent and the answer was lost: it may be spent, and is sent once more.
        case renewalInDoubt
        /// A session whose last answer had been lost, or not been saved, has good tokens again.
        case renewalRepaired
        /// A session's lock was held by somebody else; with how long it was waited for.
        case lockWaited
        /// A provider failed so often, or asked for a pause, that it is not asked for this long.
        case providerPaused(Duration)
        /// A provider that was not asked for a while answers again.
        case providerResumed
        /// The store did not take what was to be saved; with the error's code.
        case storeFailed(IdentityError.Code)
        /// New tokens that the store did not take were put into its second place.
        case tokensSpooled
        /// Neither the store nor its second place took new tokens: they are lost when the process ends
        /// (``SessionTokens/warning``). Told once for each such renewal.
        case tokensNotDurable
        /// So many pending logins, sessions and marks were removed because their time was over.
        case swept(Int)
        /// A session needs a new login, for this reason.
        case sessionEnded(SessionEndReason)
        /// A buyer signed out.
        case loggedOut
        /// A return from a provider's logout page, or a provider's logout token, was refused with this code.
        case logoutRefused(IdentityError.Code)
        /// The tokens of a session that has ended were not revoked; with the error's code.
        case revocationFailed(IdentityError.Code)
        /// Something that follows a session, such as its cart, could not follow; with the error's code.
        case participantFailed(IdentityError.Code)
        /// A provider's keys were fetched, or confirmed, without a session's doing; they may be the same as before.
        case keySetRefreshed
        /// A provider's keys could not be fetched; known good ones go on.
        case keySetUnavailable(IdentityError.Code)
        /// Tokens with unknown keys keep coming, and the provider is not asked about each: told once until one may ask again.
        case keySetRefetchRefused
    }

    /// What happened.
    public let kind: Kind
    /// The provider's name; empty when no registered provider has the name, or when the event concerns none.
    public let provider: String
    /// The session, where there is one.
    public let session: SessionID?
    /// How long it took.
    public let duration: Duration
    /// The id that errors of the same operation carry.
    public let correlationID: String
}

/// Listens to what happens, for logs and metrics.
public protocol IdentityObserver: Sendable {
    /// Called at once, on the task that caused the event: return quickly.
    func identityEvent(_ event: IdentityEvent)
}
