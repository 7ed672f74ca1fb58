public import IdentityKit
internal import IdentityPlatform

extension SQLiteStore: SessionLocking {
    /// Runs the body while no other process, and no other task of this process, holds the lock.
    ///
    /// The kernel releases the lock at once when the process that holds it ends. A suspended process (SIGSTOP) keeps its locks.
    ///
    /// - Throws: `IdentityError` with code `refresh_busy` when the lock is not free within `limit`, of kind `cancelled` when the task is
    ///   cancelled while it waits, or another error of the store; the error of the body.
    public func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        let byte = LockDescriptor.Byte.lock(try records.hash(of: name))
        let deadline = clock.elapsed + limit
        return try await taskLocks.withLock(name, waitingUpTo: limit) { _ in
            var pause = Duration.milliseconds(20)
            while try !sessionLocks.tryLock(byte) {
                let remaining = deadline - clock.elapsed
                guard remaining > .zero else { throw name.busyError }
                try await clock.pause(for: min(remaining, Jitter.duration(from: pause / 2, to: pause)))
                pause = min(pause * 2, .milliseconds(250))
            }
            defer { sessionLocks.unlock(byte) }
            return try await body(.untilProcessEnds { [sessionLocks] in sessionLocks.keep(byte) })
        }
    }
}
