/// An object that is notified when sessions change or end, such as the cart adapter.
///
/// If a method throws, the observers receive the event ``IdentityEvent/Kind/participantFailed(_:)``, and the session still changes or ends.
///
/// ```swift
/// final class OrderCache: SessionParticipant {
///     func sessionRefreshed(_ session: Session) async throws {}
///     func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {
///         await orders.remove(session.id)
///     }
/// }
/// ```
public protocol SessionParticipant: AnyObject, Sendable {
    /// Notifies the participant that this process has received new tokens of a session, with a refresh or a step-up.
    ///
    /// If the store could not save the new tokens, the method is called again when they are saved. The method is not called for a refresh
    /// of the session that the participant starts in this method.
    func sessionRefreshed(_ session: Session) async throws

    /// Notifies the participant that the manager has removed a session from the store, and passes the session's attachments.
    ///
    /// The method is not called for sessions that a sweep removes, or for a session whose attachments a step-up moved to a new session.
    func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws

    /// Notifies the participant that the provider has ended a session, so that only a new login helps.
    ///
    /// The ended session stays in the store until a logout. Each process that notices the end calls the method in the background, normally
    /// once. By default the method does nothing.
    func sessionNeedsLogin(_ session: Session) async throws
}

extension SessionParticipant {
    /// Does nothing.
    public func sessionNeedsLogin(_ session: Session) async throws {}
}
