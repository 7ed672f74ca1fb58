/// Locks among all tasks, processes and machines that share a store; ``LockName`` lists what they protect.
public protocol SessionLocking: Sendable {
    /// The minimum of ``HeldLock/remaining`` while a lock is held and the store can be reached.
    ///
    /// A request with a refresh token must end within this time, so ``SessionManager`` refuses providers whose
    /// ``ProviderDescriptor/timeout`` is longer. Nil, the default, means that a lock is lost only when its holder's process ends.
    var guaranteedLockDuration: Duration? { get }

    /// Runs the body while no other task, process or machine holds the lock.
    ///
    /// If the holder's process ends, the lock is released at once or when its lease expires.
    ///
    /// - Parameters:
    ///   - name: The name of the lock. It may name a session that does not exist.
    ///   - limit: How long to wait until another holder releases the lock.
    ///   - body: The code to run. It receives a ``HeldLock``: check ``HeldLock/isHeld`` before each step that must happen only once.
    /// - Returns: The result of the body.
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/refreshBusy`` when the lock is not free in time. Another error when the
    ///   task is cancelled while it waits, or when the store fails. Otherwise the error of the body.
    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result
}

extension SessionLocking {
    /// Nil, for locks that are lost only when their holder's process ends.
    public var guaranteedLockDuration: Duration? { nil }
}
