internal import Synchronization

/// Measures how long this process has seen the same refresh claim of an earlier lock holder in the store.
///
/// The holder needs this time to save its response. During an outage of the store, it cannot save. So each observation adds at most
/// `longestStep`, even after a long outage. Times are monotonic.
final class ObservedRefreshClaims: Sendable {
    private struct Note {
        let generation: Int64
        var waited: Duration
        let seenAt: Duration
    }

    private let clock: any IdentityClock
    /// The maximum time that one observation adds: the pause between two repairs.
    private let longestStep: Duration
    /// If the full table removes a claim, the measured time starts again at zero.
    private let notes = Mutex(BoundedTable<SessionID, Note>(maximum: 10_000))

    init(_ clock: any IdentityClock, longestStep: Duration) {
        self.clock = clock
        self.longestStep = longestStep
    }

    /// Records that the store contains this claim now; returns how long this process has observed the same claim.
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

    func forget(_ id: SessionID) {
        notes.withLock { $0.remove(id) }
    }
}
