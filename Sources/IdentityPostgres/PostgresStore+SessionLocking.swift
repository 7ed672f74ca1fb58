#if PostgreSQL
public import IdentityKit
internal import IdentityPlatform
internal import IdentityStoreKit

extension PostgresStore: SessionLocking {
    private static let shortestPause = Duration.milliseconds(20)
    private static let longestPause = Duration.milliseconds(250)

    /// The minimum of a held lock's remaining time, if the server can be reached.
    ///
    /// For a lease, the value is two thirds of the lease's length, because the holder renews the lease after each sixth of this length. For
    /// an advisory lock, the value is two thirds of the time for which a check of the connection is valid.
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
        let lock = try await acquire(key, of: name, limit)
        // This is not a child task, because a cancellation of the caller's task must not end the renewal while the body still runs.
        let keeper = Task { await lock.keep() }
        do {
            let result = try await body(HeldLock { lock.remaining })
            keeper.cancel()
            await lock.end(notifying: channel)
            return result
        } catch {
            keeper.cancel()
            await lock.end(notifying: channel)
            throw error
        }
    }

    private func acquire(_ key: Int64, of name: LockName, _ limit: Duration) async throws -> any DatabaseLock {
        let deadline = ContinuousClock.now + min(limit, .seconds(86_400))
        var pause = Self.shortestPause
        while true {
            if Task.isCancelled { throw IdentityError.cancellation() }
            if let lock = try await take(key) { return lock }
            let remaining = deadline - .now
            guard remaining > .zero else { throw name.busyError }
            await client.waitForRelease(of: key, for: min(remaining, Jitter.duration(from: pause / 2, to: pause)))
            pause = min(pause * 2, Self.longestPause)
        }
    }

    private func take(_ key: Int64) async throws -> (any DatabaseLock)? {
        switch locking {
        case .lease(let duration): try await leases.take(key, lasting: duration)
        case .advisory: try await advisoryLocks.take(key)
        }
    }
}

/// A lock that this process has acquired, and that it may have lost since, for example because a lease expired.
protocol DatabaseLock: Sendable {
    /// The time for which no other holder can get the lock; zero or less if another holder may already have it.
    var remaining: Duration { get }

    /// Renews or checks the lock again and again, until the task is cancelled or the lock is lost.
    func keep() async

    /// Releases the lock and, with a channel, notifies the callers that wait for it.
    func end(notifying channel: String?) async
}
#endif
