/// The locks of a store that only one process uses; tasks get a lock in the order in which they requested it.
///
/// A store that several processes share needs locks that all these processes see.
public final class InMemoryLocks: SessionLocking {
    private let locks: KeyedLock<LockName>

    /// Creates locks that no task holds; `clock` measures the time limits.
    public init(clock: any IdentityClock = SystemClock()) {
        locks = KeyedLock(clock: clock)
    }

    /// Runs the body while no other task holds the lock.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/refreshBusy`` when the lock is not free in time, and with code
    ///   ``IdentityError/Code/cancelled`` when the task is cancelled while it waits; any error of the body.
    public func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        switch await locks.acquire(name, waitingUpTo: limit) {
        case .acquired: break
        case .timedOut: throw name.busyError
        case .cancelled: throw IdentityError.cancellation()
        }
        defer { locks.release(name) }
        return try await body(.untilProcessEnds)
    }

    package func waiting(for name: LockName) -> Int {
        locks.waiting(for: name)
    }
}
