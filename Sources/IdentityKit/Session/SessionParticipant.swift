/// Something that follows a session's life, such as a cart.
public protocol SessionParticipant: AnyObject, Sendable {
    /// The session has new tokens.
    func sessionRefreshed(_ session: Session) async throws

    /// The session is gone from the store; what was attached to it is handed over for the last time.
    func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws

    /// The provider has ended the session, so that only a new login helps; its row stays in the store until a logout.
    ///
    /// Told once in each process that notices it, in the background. By default nothing is done.
    func sessionNeedsLogin(_ session: Session) async throws
}

extension SessionParticipant {
    /// Does nothing.
    public func sessionNeedsLogin(_ session: Session) async throws {}
}
