#if PostgreSQL
internal import Synchronization

/// Records the leases that this process has seen in the table, and when each of them ends unless it is renewed (see ``LeaseLocks``).
final class SeenLeases: Sendable {
    struct Version: Sendable, Equatable {
        let holder: [UInt8]
        let renewals: Int64
    }

    private struct Note {
        let version: Version
        let endsAt: ContinuousClock.Instant
    }

    /// The maximum number of recorded leases; a further lease removes all earlier records.
    ///
    /// After that, a task that waits for the end of a lease must wait for the lease's whole length again.
    private static let maximum = 10_000
    /// The longest lease that can be configured; a row with a longer lease counts as a lease of this length.
    static let longest = Duration.seconds(15)

    private let notes = Mutex<[Int64: Note]>([:])

    /// Records the state of a lease after the server's response has arrived; an earlier record of the same state stays.
    func record(_ version: Version, of key: Int64, lasting length: Duration) {
        let endsAt = ContinuousClock.now + min(max(length, .zero), Self.longest)
        notes.withLock { notes in
            guard notes[key]?.version != version else { return }
            if notes.count >= Self.maximum { notes = [:] }
            notes[key] = Note(version: version, endsAt: endsAt)
        }
    }

    /// The last seen state of a lease that has ended; nil if the lease has not ended or is not recorded.
    ///
    /// The lease may be taken over if its row still has this state.
    func expired(_ key: Int64) -> Version? {
        notes.withLock { notes in notes[key].flatMap { $0.endsAt <= .now ? $0.version : nil } }
    }

    func remove(_ key: Int64) {
        notes.withLock { _ = $0.removeValue(forKey: key) }
    }
}
#endif
