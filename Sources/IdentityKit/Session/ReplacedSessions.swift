internal import Synchronization

/// The sessions that a newer session of the same buyer replaced, in this process.
///
/// The tokens of a refresh that still runs for such a session are not revoked (``TokenRevocation/revoke(_:of:)``).
final class ReplacedSessions: Sendable {
    /// The tokens of a session whose entry is evicted may be revoked.
    private let entries = Mutex(BoundedTable<SessionID, Void>(maximum: 10_000))

    func insert(_ id: SessionID) { entries.withLock { $0.insert((), for: id) } }

    func remove(_ id: SessionID) { entries.withLock { $0.remove(id) } }

    func contains(_ id: SessionID) -> Bool { entries.withLock { $0[id] != nil } }
}
