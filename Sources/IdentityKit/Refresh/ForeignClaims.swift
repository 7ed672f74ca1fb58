internal import Synchronization

/// For how long this process has seen claims whose holders lost their locks and may still have an answer to save.
///
/// Counted on the clock that does not step, and only while the store answers: the holder needs the store to save its answer, so an
/// outage adds one `longestStep` at most.
final class ForeignClaims: Sendable {
    private struct Note {
        let generation: Int64
        var waited: Duration
        var seenAt: Duration
    }

    /// A claim that is forgotten is waited for anew.
    private static let maximum = 10_000

    private let clock: any IdentityClock
    /// How much one look at a claim adds at most: the pause between two repairs.
    private let longestStep: Duration
    private let notes = Mutex<[SessionID: Note]>([:])

    init(_ clock: any IdentityClock, longestStep: Duration) {
        self.clock = clock
        self.longestStep = longestStep
    }

    /// Notes that the claim stands in the store at this moment.
    ///
    /// - Returns: For how long it has been seen there.
    func saw(_ claimed: StoredSession) -> Duration {
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

    /// Forgets a session whose row has moved on.
    func forget(_ id: SessionID) {
        notes.withLock { _ = $0.removeValue(forKey: id) }
    }
}
