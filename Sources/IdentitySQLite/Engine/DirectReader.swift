internal import IdentityKit
internal import IdentityPlatform
internal import Synchronization

/// Reads single rows on the caller's thread, which costs much less than a hop to the thread of ``DatabaseReader`` and back.
///
/// A read here never waits for a lock. Only one caller at a time reads here, so that a slow disk blocks at most one thread of Swift's
/// cooperative pool. If ``read(_:)`` returns nil, the caller uses ``DatabaseReader``. ``read(_:)`` also returns nil after any error of
/// SQLite, because ``DatabaseReader`` may succeed: for example, only its connection can roll back the transaction of a crashed process.
final class DirectReader: Sendable {
    /// The duration from which a read counts as slow, if its thread has waited during the read.
    ///
    /// A slow read shows that the disk is slow or busy.
    static let slowRead = Duration.milliseconds(5)
    /// How long no caller reads here after a slow read, as a multiple of the slow read's duration.
    ///
    /// So slow reads block callers' threads for less than a twentieth of the time.
    static let pause = 20

    private struct State {
        /// Nil before the file is open, after it is closed, if this connection could not be opened, and for a file that may be on another
        /// machine.
        var connection: Connection?
        var resumesAt = Duration.zero
    }

    private let state = Mutex(State())
    private let clock: any IdentityClock
    /// Returns how often the current thread has waited, for example for the disk (voluntary context switches).
    ///
    /// A long read without a wait does not count as slow: on a busy machine, other threads may have run in this time.
    private let waits: @Sendable () -> Int

    init(clock: any IdentityClock, waits: @escaping @Sendable () -> Int = Platform.threadWaits) {
        self.clock = clock
        self.waits = waits
    }

    /// Sets the connection, which no other object may use.
    func use(_ connect: @Sendable () throws -> Connection) rethrows {
        try state.withLock { $0.connection = try connect() }
    }

    /// Waits for the running read, and closes the connection.
    func close() {
        state.withLock { $0.connection = nil }
    }

    /// Reads and returns the result; nil if the caller has to use ``DatabaseReader``.
    ///
    /// It returns nil if another caller reads here, a slow read was a short time ago, this object has no connection, or SQLite returned an
    /// error, for example because a commit locks the file.
    ///
    /// - Throws: The body's error, unless it is an error of SQLite.
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
