internal import Synchronization

/// The sessions that a newer session of the same buyer replaced in this process.
///
/// If a refresh of a replaced session still runs, its new tokens are not revoked: see ``TokenRevocation/revoke(_:of:)``.
final class ReplacedSessions: Sendable {
    /// If an entry is evicted, the new tokens of a refresh of its session may be revoked.
    private let entries = Mutex(BoundedTable<SessionID, Void>(maximum: 10_000))

    /// Records that a session is being replaced.
    ///
    /// - Returns: Whether the session was not recorded before. If so, the caller removes the entry if the session is not replaced.
    func insert(_ id: SessionID) -> Bool { entries.withLock { $0.insert(id) } }

    func remove(_ id: SessionID) { entries.withLock { $0.remove(id) } }

    func contains(_ id: SessionID) -> Bool { entries.withLock { $0[id] != nil } }
}
