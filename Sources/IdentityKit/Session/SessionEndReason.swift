/// Why only a new login helps.
public struct SessionEndReason: RawRepresentable, Hashable, Sendable {
    /// The reason as text.
    public let rawValue: String

    /// A reason with the given text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The provider ended the session: revoked, signed out there, too old.
    public static let revoked = Self(rawValue: "revoked")
    /// The provider's answer to a refresh was lost, with the new refresh token in it, and it does not take the old one again.
    public static let lostRotation = Self(rawValue: "lost_rotation")
}
