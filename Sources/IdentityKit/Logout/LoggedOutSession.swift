/// A session that was removed from the store, with the data for two further steps: notify participants, and revoke the tokens.
struct LoggedOutSession: Sendable {
    var session: Session
    /// The session as it was stored, and its newest states, which contain the tokens to revoke.
    ///
    /// Nil if the removed session cannot be read. No token is then revoked.
    var newest: (stored: StoredSession, states: [SessionState])?
    var attachments: [String: Secret]
    /// Whether the session had expired before its removal.
    ///
    /// The end of an expired session is not reported, because every call already treated the session as unknown.
    let hadExpired: Bool
    /// Contains an error if the removed session cannot be read.
    var problems: [IdentityError] = []
}
