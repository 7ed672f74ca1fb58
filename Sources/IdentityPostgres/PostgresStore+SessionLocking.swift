#if PostgreSQL
public import IdentityKit
internal import IdentityPlatform
internal import IdentityStoreKit

extension PostgresStore: SessionLocking {
    private static let shortestPause = Duration.milliseconds(20)
    private static let longestPause = Duration.milliseconds(250)

    /// How much longer a held lock is certainly held, if the server can be reached.
    ///
    /// For a lease, it is two thirds of its length, because a lease is renewed after each sixth of its length. For an advisory lock, it is
    /// two thirds of the time for which a check of the connection is valid.
    public var guaranteedLockDuration: Duration? {
        switch locking {
        case .lease(let duration): duration * 2 / 3
        case .advisory: AdvisoryLocks.trust * 2 / 3
        }
    }

    /// Runs the body while no other task, process or machine holds the lock.
    ///
    /// A lease is renewed while the body runs. The holder's process may be suspended for longer than the lease lasts, so the body must
    /// check the lock before each step that must happen only once. Saves are also protected by the session's generation or the attachment's
    /// revision. A caller that wants the lease of a crashed holder waits for the lease's length. The wait begins when this process first
    /// sees that lease, in this call or an earlier one.
    ///
    /// - Throws: `IdentityError` with code `refresh_busy` when the lock is not free within `limit`, of kind `cancelled` when the task is
    ///   cancelled while it waits, or another error of the store; the error of the body.
    public func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        let key = StoreRecords.rowKey(try records.hash(of: name))
        switch locking {
        case .lease(let duration):
            let lease = try await acquire(key, of: name, limit) { try await leases.take(key, lasting: duration) }
            return try await run(
                body,
                under: HeldLock { lease.remaining },
                keeping: { [leases] in await leases.renew(lease) },
                ending: { await leases.end(lease, notifying: channel) }
            )
        case .advisory:
            let lock = try await acquire(key, of: name, limit) { try await advisoryLocks.take(key) }
            return try await run(
                body,
                under: HeldLock { lock.remaining },
                keeping: { [advisoryLocks] in await advisoryLocks.watch(lock) },
                ending: { await advisoryLocks.end(lock, notifying: channel) }
            )
        }
    }

    /// Tries to take a lock until it succeeds or the time limit is reached.
    ///
    /// It tries again after a notification, or after a pause that grows with each attempt.
    private func acquire<Lock>(
        _ key: Int64,
        of name: LockName,
        _ limit: Duration,
        _ take: () async throws -> Lock?
    ) async throws -> Lock {
        let deadline = ContinuousClock.now + min(limit, .seconds(86_400))
        var pause = Self.shortestPause
        while true {
            if Task.isCancelled { throw IdentityError.cancellation() }
            if let lock = try await take() { return lock }
            let remaining = deadline - .now
            guard remaining > .zero else { throw name.busyError }
            await client.waitForRelease(of: key, for: min(remaining, Jitter.duration(from: pause / 2, to: pause)))
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Runs the body while another task renews the lease or checks the advisory lock's connection, and always releases the lock.
    private func run<Result: Sendable>(
        _ body: @Sendable (HeldLock) async throws -> Result,
        under lock: HeldLock,
        keeping keep: @escaping @Sendable () async -> Void,
        ending end: () async -> Void
    ) async throws -> Result {
        // This is not a child task, because a cancellation of the caller's task must not end the renewal while the body still runs.
        let keeper = Task { await keep() }
        do {
            let result = try await body(lock)
            keeper.cancel()
            await end()
            return result
        } catch {
            keeper.cancel()
            await end()
            throw error
        }
    }
}
#endif
