internal import Synchronization

/// The sessions that a newer session of the same buyer replaced, or is replacing, in this process.
///
/// While a session is in this table, the new tokens of its running refresh are not revoked (``TokenRevocation/revoke(_:of:)``).
final class ReplacedSessions: Sendable {
    private struct Entry {
        var removals = 0
        var isReplaced = false
    }

    private let entries = Mutex(BoundedTable<SessionID, Entry>(maximum: 10_000))

    func contains(_ id: SessionID) -> Bool { entries.withLock { $0[id] != nil } }

    /// Records that a session was replaced, or may have been replaced.
    func add(_ id: SessionID) { update(id) { $0.isReplaced = true } }

    /// Records that a task is about to remove a session that a newer session replaces.
    func beginRemoval(_ id: SessionID) { update(id) { $0.removals += 1 } }

    /// Records the end of a removal; if the removal found the session (`found`), the session is now replaced.
    ///
    /// If the session is not replaced and no other removal runs, the table forgets the session. A later logout then revokes the tokens.
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
