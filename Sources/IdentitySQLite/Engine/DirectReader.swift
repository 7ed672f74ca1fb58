internal import IdentityKit
internal import IdentityPlatform
internal import Synchronization

/// Reads single rows on the caller's thread, which costs much less than a hop to the reader's thread and back.
///
/// It never waits for a lock. It reads only if no other caller reads here, so that the disk blocks at most one thread of Swift's
/// cooperative pool.
/// In all other cases ``DatabaseReader`` reads on its own thread: while a commit locks the file, after any error of SQLite, and for
/// some time after a read that waited long for the disk. Its connection can only read, so it does not roll back the journal of a crashed
/// process either.
final class DirectReader: Sendable {
    /// A read that waits and takes this long shows that the pages are not in memory and that the disk is slow or busy.
    static let slowRead = Duration.milliseconds(5)
    /// How long no caller reads here after a slow read, as a multiple of its duration.
    ///
    /// So waiting for the disk takes at most a twentieth of the time.
    static let pause = 20

    private struct State {
        /// Nil before the file is open, after it is closed, and for a file that may be on another machine.
        var connection: Connection?
        var resumesAt = Duration.zero
    }

    private let state = Mutex(State())
    private let clock: any IdentityClock
    /// Returns how often the current thread has waited, for example for the disk (voluntary context switches).
    ///
    /// It shows that the disk was slow. On a busy machine, a read can also take long because other threads run.
    private let waits: @Sendable () -> Int

    init(clock: any IdentityClock, waits: @escaping @Sendable () -> Int = Platform.threadWaits) {
        self.clock = clock
        self.waits = waits
    }

    /// Uses a connection that no other object has.
    func use(_ connect: @Sendable () throws -> Connection) rethrows {
        try state.withLock { $0.connection = try connect() }
    }

    /// Waits for the running read, and closes the connection.
    func close() {
        state.withLock { $0.connection = nil }
    }

    /// The result of a read; nil if the caller has to use the reader's thread.
    ///
    /// - Throws: The body's error, unless it is one of SQLite.
    func read<R: Sendable>(_ body: @Sendable (Connection) throws -> R) throws -> R? {
        let result = try state.withLockIfAvailable { state -> R? in
            let (begun, waitsBefore) = (clock.elapsed, waits())
            guard let connection = state.connection, begun >= state.resumesAt else { return nil }
            defer {
                let end = clock.elapsed
                if end - begun >= Self.slowRead, waits() != waitsBefore {
                    state.resumesAt = end + (end - begun) * Self.pause
                }
            }
            do {
                return try body(connection)
            } catch is SQLiteFailure {
                return nil
            } catch {
                throw IdentityError.wrapping(error)
            }
        }
        return result ?? nil
    }
}
