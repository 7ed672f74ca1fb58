/// The name of a lock of a store, which says what the lock protects: ``SessionLocking``.
public enum LockName: Sendable, Hashable {
    /// The tokens of a session, while they are refreshed.
    case session(SessionID)
    /// The attachment of a session with a name, such as a cart.
    case attachment(String, of: SessionID)

    /// The name as bytes, which differ for different locks.
    ///
    /// They contain the session id, which is a secret: a store that writes or sends them must hash them with a key.
    public var bytes: [UInt8] {
        switch self {
        case .session(let id): Array(id.rawValue.utf8)
        // Session ids all have one length. So two attachments never have the same bytes, and an attachment and a session never do either.
        case .attachment(let name, let id): Array("\(name) \(id.rawValue)".utf8)
        }
    }

    /// The error for a caller who did not get the lock in time.
    package var busyError: IdentityError {
        let (message, hint) =
            switch self {
            case .session:
                (
                    "Another task, process or machine holds the session's lock, usually for a refresh, and did not release it in time.",
                    "Try again. If it lasts, look for tokens_not_durable in the logs: a process keeps the lock until its tokens are saved."
                )
            case .attachment(let name, _):
                (
                    "Another task, process or machine uses the session's attachment \"\(name)\" and did not release its lock in time.",
                    "Try again."
                )
            }
        return IdentityError(.retryLater, .refreshBusy, message, hint: hint)
    }
}
