#if PostgreSQL
internal import Synchronization

/// The leases of others that this process has seen, and since when each has not been renewed.
///
/// A lease is over when it was seen unchanged for its whole length, on the clock of the process that looks: a clock that neither
/// steps nor stops. The server's clock may do both. A holder counts from before it asked for the lease, so it always knows first.
final class SeenLeases: Sendable {
    /// One lease as it stood in the table.
    struct Version: Sendable, Equatable {
        let holder: [UInt8]
        let renewals: Int64
    }

    private struct Note {
        let version: Version
        let overAt: ContinuousClock.Instant
    }

    /// What is forgotten is watched anew, which keeps its next holder waiting for one length more.
    private static let maximum = 10_000
    /// The longest lease that may be configured; a row that says more is not believed.
    static let longest = Duration.seconds(15)

    private let notes = Mutex<[Int64: Note]>([:])

    /// Notes how a lease stood in the table, after the answer came.
    func saw(_ version: Version, of key: Int64, lasting length: Duration) {
        let overAt = ContinuousClock.now + min(max(length, .zero), Self.longest)
        notes.withLock { notes in
            guard notes[key]?.version != version else { return }
            if notes.count >= Self.maximum { notes = [:] }
            notes[key] = Note(version: version, overAt: overAt)
        }
    }

    /// The lease that may be taken over, if it still stands there.
    func over(_ key: Int64) -> Version? {
        notes.withLock { notes in notes[key].flatMap { $0.overAt <= .now ? $0.version : nil } }
    }

    func forget(_ key: Int64) {
        notes.withLock { _ = $0.removeValue(forKey: key) }
    }
}
#endif
