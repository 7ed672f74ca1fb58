extension SessionEndReason {
    /// The session is a guest's session without tokens: ``SessionManager/beginGuest(retainedFor:)``.
    public static let guest = Self(rawValue: "guest")
}

extension Session {
    /// Whether the session is a guest's: no buyer has signed in, and it only has attachments, such as a cart.
    public var isGuest: Bool { endReason == .guest }
}
