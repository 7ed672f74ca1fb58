internal import IdentityKit
internal import IdentityPlatform
internal import Synchronization

/// Reads single rows on the caller's thread, which costs much less than a hop to another thread and back.
///
/// Only one caller at a time reads here, so a slow disk blocks at most one thread of Swift's cooperative pool.
final class DirectReader: Sendable {
    /// A read of at least this duration counts as slow, if its thread also waited, for example for the disk.
    static let slowRead = Duration.milliseconds(5)
    /// After a slow read, ``read(_:)`` returns nil for this multiple of the read's duration.
    ///
    /// So slow reads block callers' threads for less than a twentieth of the time.
    static let pause = 20

    private struct State {
        /// Nil while the file is not open, if opening this connection failed, and if the file may be on another machine.
        var connection: Connection?
        var resumesAt = Duration.zero
    }

    private let state = Mutex(State())
    private let clock: any IdentityClock
    /// Returns the number of the current thread's voluntary context switches, for example waits for the disk.
    ///
    /// A long read without such a switch does not count as slow: on a busy machine, other threads may have used the CPU.
    private let waits: @Sendable () -> Int

    init(clock: any IdentityClock, waits: @escaping @Sendable () -> Int = Platform.threadWaits) {
        self.clock = clock
        self.waits = waits
    }

    func use(_ connect: @Sendable () throws -> Connection) rethrows {
        try state.withLock { $0.connection = try connect() }
    }

    func close() {
        state.withLock { $0.connection = nil }
    }

    /// Runs a read at once; nil if the caller must use ``DatabaseReader``.
    ///
    /// The result is nil if another caller reads here, a read was slow a short time ago, no connection is open, or SQLite returns an error,
    /// for example because a commit locks the file.
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
                // `DatabaseReader` may succeed. For example, this read-only connection cannot roll back a crashed process's transaction.
                return nil
            } catch {
                throw IdentityError.wrapping(error)
            }
        }
        return result ?? nil
    }
}
