/// The reason why the buyer or guest of a session has to sign in.
public struct SessionEndReason: RawRepresentable, Hashable, Sendable {
    /// The reason as text.
    public let rawValue: String

    /// Creates a reason with the given text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The provider no longer accepts the refresh token, for example because the session is too old or the buyer signed out there.
    public static let revoked = Self(rawValue: "revoked")
    /// The provider rejected the refresh token; the store probably lacks a newer refresh token.
    ///
    /// The newer refresh token was lost with the response to an earlier refresh, or the session was restored from a backup.
    public static let lostRotation = Self(rawValue: "lost_rotation")
    /// The session was removed, and its tokens could not be read, for example because a newer version of the app wrote them.
    ///
    /// Only the result of a logout, or a call of a ``SessionParticipant``, contains a session with this reason.
    public static let unreadable = Self(rawValue: "unreadable")
    /// The session belongs to a guest and has no tokens (``SessionManager/beginGuest(retainedFor:)``).
    public static let guest = Self(rawValue: "guest")
}
