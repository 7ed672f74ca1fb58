internal import Synchronization

/// Measures for how long this process has seen the same refresh claim of an earlier lock holder in the store.
///
/// A refresh claim is the mark in a stored session that a process is about to send the refresh token. The process that saved the claim may
/// still need time to save the provider's response. It cannot save the response during an outage of the store, so an outage should not
/// count as such time. Therefore each observation adds at most `longestStep` to the measured time. Times are measured with the monotonic
/// clock.
final class ObservedRefreshClaims: Sendable {
    private struct Note {
        let generation: Int64
        var waited: Duration
        let seenAt: Duration
    }

    private let clock: any IdentityClock
    /// The maximum time that one observation of a refresh claim adds; it is the pause between two repairs.
    private let longestStep: Duration
    /// If the table evicts a claim, the measured time starts again at zero.
    private let notes = Mutex(BoundedTable<SessionID, Note>(maximum: 10_000))

    init(_ clock: any IdentityClock, longestStep: Duration) {
        self.clock = clock
        self.longestStep = longestStep
    }

    /// Records that the store contains the session with this refresh claim now.
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

    /// Removes the observed claim of a session, after a refresh of the session has returned tokens.
    func forget(_ id: SessionID) {
        notes.withLock { $0.remove(id) }
    }
}
