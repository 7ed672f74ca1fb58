extension SessionEndReason {
    /// Nobody has signed in yet: the session is a guest's, ``SessionManager/beginGuest(retainedFor:)``.
    public static let guest = Self(rawValue: "guest")
}

extension Session {
    /// Whether nobody has signed in: the session only holds what is attached to it, such as a cart.
    public var isGuest: Bool { endReason == .guest }
}
