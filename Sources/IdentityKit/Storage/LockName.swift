/// The name of a store's lock (``SessionLocking``), which says what the lock protects.
public enum LockName: Sendable, Hashable {
    /// The tokens of a session, while they are refreshed.
    case session(SessionID)
    /// An attachment of a session, such as its cart; the string is the attachment's name.
    case attachment(String, of: SessionID)
    /// An object of another system that several sessions can use, such as a cart; the string is the object's id in that system.
    case object(String)

    /// The name as bytes; two different names never have the same bytes.
    ///
    /// The bytes can contain a secret, such as a session's id. A store that writes or sends the bytes must hash them with a key.
    public var bytes: [UInt8] {
        // The first byte differs between the cases. The session id at the end of an attachment's bytes has a fixed length, so the bytes of
        // two different attachments differ too.
        switch self {
        case .session(let id): [0] + id.rawValue.utf8
        case .attachment(let name, let id): [1] + "\(name) \(id.rawValue)".utf8
        case .object(let id): [2] + id.utf8
        }
    }

    /// Compares the ``bytes``, because Swift's `==` treats canonically equivalent strings as equal.
    public static func == (left: LockName, right: LockName) -> Bool { left.bytes == right.bytes }

    /// Hashes the ``bytes``.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    package var busyError: IdentityError {
        let object: String
        switch self {
        case .session:
            return IdentityError(
                .retryLater,
                .refreshBusy,
                "Another task, process or machine holds the session's lock, perhaps for a refresh, and did not release the lock in time.",
                hint: """
                    Try again. If this error continues, look for a suspended process, and resume or end the suspended process. If a \
                    process reports tokens_not_durable, repair the store: the process may keep the lock until it saves the tokens.
                    """
            )
        case .attachment(let name, _): object = "the session's attachment \"\(name)\""
        case .object: object = "an object that this call needs, such as a cart"
        }
        return IdentityError(
            .retryLater,
            .refreshBusy,
            "Another task, process or machine holds the lock of \(object), and did not release the lock in time.",
            hint: "Try again."
        )
    }
}

extension LockName: Redacted {
    /// A constant text, because the name can contain a session's id.
    public var description: String { "<lock name>" }
}
