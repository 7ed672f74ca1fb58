internal import Synchronization

/// The sessions that a newer session of the same buyer replaced, or is replacing, in this process.
///
/// If a refresh of such a session still runs, its new tokens are not revoked (``TokenRevocation/revoke(_:of:)``). If an entry is
/// evicted, they may be revoked.
final class ReplacedSessions: Sendable {
    private struct Entry {
        var removals = 0
        var isReplaced = false
    }

    private let entries = Mutex(BoundedTable<SessionID, Entry>(maximum: 10_000))

    func contains(_ id: SessionID) -> Bool { entries.withLock { $0[id] != nil } }

    /// Records that a session was replaced, or may have been.
    func add(_ id: SessionID) { update(id) { $0.isReplaced = true } }

    /// Records that a task is about to remove the session.
    func beginRemoval(_ id: SessionID) { update(id) { $0.removals += 1 } }

    /// Ends a removal; the session is forgotten if no other removal of it runs and none has found it, so that a logout of this session
    /// revokes its tokens.
    func endRemoval(_ id: SessionID, found: Bool) {
        update(id) { entry in
            entry.removals -= 1
            entry.isReplaced = entry.isReplaced || found
        }
    }

    private func update(_ id: SessionID, _ change: (inout Entry) -> Void) {
        entries.withLock { entries in
            var entry = entries[id] ?? Entry()
            change(&entry)
            if entry.isReplaced || entry.removals > 0 { entries.insert(entry, for: id) } else { entries.remove(id) }
        }
    }
}
