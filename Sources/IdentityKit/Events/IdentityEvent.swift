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
        /// An access token was renewed.
        case renewed
        /// A renewal failed; the session lives on unless the code says otherwise.
        case renewalFailed(IdentityError.Code)
        /// A session ended at the provider and needs a new login.
        case sessionEnded
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
    /// The provider's name.
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
