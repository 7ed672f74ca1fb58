/// The reason why a new login is required.
public struct SessionEndReason: RawRepresentable, Hashable, Sendable {
    /// The reason as text.
    public let rawValue: String

    /// A reason with the given text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The provider ended the session, for example because it was revoked or too old, or because the buyer signed out there.
    public static let revoked = Self(rawValue: "revoked")
    /// The provider's response to a refresh, which contained the new refresh token, was lost, and the provider does not
    /// accept the old one again.
    public static let lostRotation = Self(rawValue: "lost_rotation")
}
