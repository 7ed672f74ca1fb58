/// The part of a store that keeps sessions.
///
/// The payloads are unencrypted secrets. A store that writes payloads to a disk or a database must encrypt each payload, so that it can be
/// decrypted only as a part of the same record: `IdentityStoreKit` does that. Several tasks may call the methods at the same time. Throw
/// ``IdentityError``: of kind ``IdentityError/Kind/retryLater`` when the caller may try again, of kind
/// ``IdentityError/Kind/configuration`` when an operator has to act. If a session exists but cannot be read, throw: do not report that the
/// session does not exist.
///
/// A read sees every earlier save of any task, and of any process that shares the store. Sessions, attachments and login attempts are
/// returned exactly as they were saved: texts by their bytes, dates to the last bit. A store accepts payloads of up to 7,500 bytes. If the
/// store does not accept a larger payload or a long text, it throws an error of kind ``IdentityError/Kind/configuration`` or
/// ``IdentityError/Kind/rejected`` and changes nothing.
///
/// `IdentityTesting` contains the conformance suite, and `Documentation/Extending/StoreOfYourOwn.md` shows a whole store.
public protocol SessionRecordStore: Sendable {
    /// Adds a new session durably; throws an error of kind ``IdentityError/Kind/rejected`` if a session with this id exists or is in
    /// quarantine.
    ///
    /// Throw an error of this kind, or with code ``IdentityError/Code/storeFull``, only if the session was not added. After any other
    /// error, ``SessionManager`` calls ``remove(_:)``, because the store may have added the session.
    func insert(_ session: StoredSession) async throws

    /// Returns the session with this id; nil if the session does not exist.
    func session(_ id: SessionID) async throws -> StoredSession?

    /// Replaces a session if it still has the given generation; returns false if it has another generation or does not exist.
    ///
    /// When the method returns true, the new payload survives a crash.
    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool

    /// Removes a session with its attachments and returns both; nil if the session does not exist.
    ///
    /// A damaged attachment does not prevent the removal, and is missing in the result.
    func remove(_ id: SessionID) async throws -> RemovedSession?

    /// Returns the sessions that match, oldest first; sessions of the same age in any order.
    func sessions(matching filter: SessionFilter) async throws -> [StoredSession]
}

/// The part of a store that keeps values of a session, such as its cart, and removes them together with the session.
public protocol SessionAttachmentStore: Sendable {
    /// Returns the attachment with this name; nil if it does not exist.
    func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment?

    /// Adds, replaces or, with a nil payload, removes an attachment, if its revision is the expected one.
    ///
    /// If the expected revision is nil, the session must not have an attachment with this name yet.
    ///
    /// - Returns: False if the attachment has another revision, or if the session does not exist.
    func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool
}

/// The requirements of ``SessionManager`` for a store.
public typealias SessionStore = LoginAttemptStore & SessionAttachmentStore & SessionLocking & SessionRecordStore

/// A store that limits the number of a tenant's sessions, and can exceed the limit while a new session replaces an old one.
package protocol SessionReplacing: SessionRecordStore {
    /// Adds a new session as ``SessionRecordStore/insert(_:)`` does, even if the tenant has the maximum number of sessions.
    func insertReplacement(_ session: StoredSession) async throws
}
