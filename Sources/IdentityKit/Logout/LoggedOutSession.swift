/// A session that was removed from the store, with the data to notify participants and to revoke the tokens.
struct LoggedOutSession: Sendable {
    var session: Session
    /// The session as it was stored, and its newest states, which contain the tokens to revoke; nil if the session cannot be read.
    var newest: (stored: StoredSession, states: [SessionState])?
    var attachments: [String: Secret]
    /// Whether the session had expired before its removal.
    ///
    /// The results and events omit a session that had expired, because every call already treated the session as unknown.
    let hadExpired: Bool
    /// Contains an error if the removed session cannot be read.
    var problems: [IdentityError] = []
}
