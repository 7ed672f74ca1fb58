internal import Synchronization

/// The sessions that a newer session of the same buyer replaced, in this process.
///
/// The tokens of a refresh that still runs for such a session are not revoked (``TokenRevocation/revoke(_:of:)``).
final class ReplacedSessions: Sendable {
    /// The tokens of a session whose entry is evicted may be revoked.
    private let entries = Mutex(BoundedTable<SessionID, Void>(maximum: 10_000))

    /// - Returns: Whether the session was not marked before, so that this caller may remove the mark if it does not replace the session.
    func insert(_ id: SessionID) -> Bool {
        entries.withLock { entries in
            defer { entries.insert((), for: id) }
            return entries[id] == nil
        }
    }

    func remove(_ id: SessionID) { entries.withLock { $0.remove(id) } }

    func contains(_ id: SessionID) -> Bool { entries.withLock { $0[id] != nil } }
}
