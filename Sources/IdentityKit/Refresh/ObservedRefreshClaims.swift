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
        var seenAt: Duration
    }

    /// The maximum number of observed refresh claims; if a claim is evicted, its time starts again at zero.
    private static let maximum = 10_000

    private let clock: any IdentityClock
    /// The maximum time that one observation of a refresh claim adds: the pause between two repairs.
    private let longestStep: Duration
    private let notes = Mutex<[SessionID: Note]>([:])

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
            guard var note = notes[claimed.id], note.generation == claimed.generation else {
                if notes.count >= Self.maximum { notes = notes.filter { now - $0.value.seenAt < .seconds(60) } }
                if notes.count >= Self.maximum { notes = [:] }
                notes[claimed.id] = Note(generation: claimed.generation, waited: .zero, seenAt: now)
                return .zero
            }
            note.waited += min(now - note.seenAt, longestStep)
            note.seenAt = now
            notes[claimed.id] = note
            return note.waited
        }
    }

    /// Removes a session whose stored state has changed.
    func forget(_ id: SessionID) {
        notes.withLock { _ = $0.removeValue(forKey: id) }
    }
}
