/// Locks of sessions among all tasks, processes and machines that share a store.
public protocol SessionLocking: Sendable {
    /// How long a lock is certainly held from now on if the store can be reached; nil, the default, if a lock ends only
    /// with its holder's process.
    ///
    /// A request with a refresh token must end within this time: ``SessionManager`` refuses providers whose
    /// ``ProviderDescriptor/timeout`` is longer.
    var guaranteedLockDuration: Duration? { get }

    /// Runs the body while no other task, process or machine holds the lock; the lock ends with its holder, at once or
    /// when its lease expires.
    ///
    /// - Parameters:
    ///   - name: The name of the lock. Its session need not exist.
    ///   - limit: The maximum wait for another holder.
    ///   - body: Receives the lock, which says whether it is still held. Check it before each step that must happen
    ///     only once.
    /// - Returns: The result of the body.
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/refreshBusy`` when the lock is not free in time, or the error of the
    ///   body.
    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result
}

extension SessionLocking {
    /// Returns nil, because locks end only with their holder's process.
    public var guaranteedLockDuration: Duration? { nil }

    /// Runs the body while no other task, process or machine holds the session's lock: ``withLock(_:waitingUpTo:_:)``.
    public func withSessionLock<Result: Sendable>(
        _ id: SessionID,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        try await withLock(.session(id), waitingUpTo: limit, body)
    }
}
