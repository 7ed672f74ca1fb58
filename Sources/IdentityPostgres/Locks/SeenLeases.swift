#if PostgreSQL
internal import Synchronization

/// The leases of other processes that this process has seen, and since when each was not renewed.
///
/// A lease has ended when this process has seen it unchanged for its whole length, on its own clock, which neither jumps
/// nor stops. The server's clock may do both. A holder counts from before its request, so it always notices the end
/// first.
final class SeenLeases: Sendable {
    /// The state of a lease in the table.
    struct Version: Sendable, Equatable {
        let holder: [UInt8]
        let renewals: Int64
    }

    private struct Note {
        let version: Version
        let endsAt: ContinuousClock.Instant
    }

    /// An evicted lease is observed again from the beginning, so its next holder waits for one more length.
    private static let maximum = 10_000
    /// The longest lease that can be configured.
    ///
    /// A row that claims a longer one counts as this long.
    static let longest = Duration.seconds(15)

    private let notes = Mutex<[Int64: Note]>([:])

    /// Records the state of a lease after the response arrived.
    func record(_ version: Version, of key: Int64, lasting length: Duration) {
        let endsAt = ContinuousClock.now + min(max(length, .zero), Self.longest)
        notes.withLock { notes in
            guard notes[key]?.version != version else { return }
            if notes.count >= Self.maximum { notes = [:] }
            notes[key] = Note(version: version, endsAt: endsAt)
        }
    }

    /// The lease that may be taken over if its row is unchanged.
    func expired(_ key: Int64) -> Version? {
        notes.withLock { notes in notes[key].flatMap { $0.endsAt <= .now ? $0.version : nil } }
    }

    func remove(_ key: Int64) {
        notes.withLock { _ = $0.removeValue(forKey: key) }
    }
}
#endif
