/// An object that is notified when sessions change or end, such as the adapter of their carts.
public protocol SessionParticipant: AnyObject, Sendable {
    /// The session has new tokens.
    func sessionRefreshed(_ session: Session) async throws

    /// The session was removed from the store; its attachments are passed for the last time.
    func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws

    /// The provider has ended the session, so that only a new login helps; its record stays in the store until a logout.
    ///
    /// Called once in each process that notices it, in the background. Has no effect by default.
    func sessionNeedsLogin(_ session: Session) async throws
}

extension SessionParticipant {
    /// Has no effect.
    public func sessionNeedsLogin(_ session: Session) async throws {}
}
