internal import Synchronization

/// Measures how long this process has seen the refresh claims of other processes that lost the session's lock.
///
/// A claim is the mark in a stored session that a process is about to send the refresh token. The process that made it may still have
/// a response of the provider to save, and needs the store for it. So only time in which the store responds counts: an outage of the
/// store adds at most one `longestStep`. Times are measured with the monotonic clock.
final class ObservedRefreshClaims: Sendable {
    private struct Note {
        let generation: Int64
        var waited: Duration
        let seenAt: Duration
    }

    private let clock: any IdentityClock
    /// The maximum time that one observation of a refresh claim adds: the pause between two repairs.
    private let longestStep: Duration
    /// If a claim is evicted, its time starts again at zero.
    private let notes = Mutex(BoundedTable<SessionID, Note>(maximum: 10_000))

    init(_ clock: any IdentityClock, longestStep: Duration) {
        self.clock = clock
        self.longestStep = longestStep
    }

    /// Records that the store contains this session with its refresh claim now.
    ///
    /// - Returns: How long this process has observed the same claim.
    func observe(_ claimed: StoredSession) -> Duration {
        let now = clock.elapsed
        return notes.withLock { notes in
            var note = Note(generation: claimed.generation, waited: .zero, seenAt: now)
            if let last = notes[claimed.id], last.generation == claimed.generation {
                note.waited = last.waited + min(now - last.seenAt, longestStep)
            }
            notes.insert(note, for: claimed.id) { now - $0.seenAt >= .seconds(60) }
            return note.waited
        }
    }

    /// Removes a session whose stored state has changed.
    func forget(_ id: SessionID) {
        notes.withLock { $0.remove(id) }
    }
}
