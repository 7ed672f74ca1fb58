#if PostgreSQL
public import IdentityKit
internal import IdentityPlatform
internal import IdentityStoreKit

extension PostgresStore: SessionLocking {
    private static let shortestPause = Duration.milliseconds(20)
    private static let longestPause = Duration.milliseconds(250)

    /// Two thirds of a lease, which is renewed every sixth of its time; as much of the time for which an advisory lock is believed.
    public var guaranteedHold: Duration? {
        switch locking {
        case .lease(let duration): duration * 2 / 3
        case .advisory: AdvisoryLocks.trust * 2 / 3
        }
    }

    /// Runs the body while no other task, process or machine holds the lock.
    ///
    /// A lease is renewed while the body runs. Its holder may be stopped for longer than the lease lasts, so the body asks the hold
    /// before anything that may happen once only; what it saves is guarded by the generation in any case. Whoever wants the lease of a
    /// holder that is gone waits for the lease's length from the moment at which it first sees it, in this call or an earlier one.
    public func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (SessionHold) async throws -> Result
    ) async throws -> Result {
        let key = SessionRecords.rowKey(try records.hash(of: name))
        switch locking {
        case .lease(let duration):
            let lease = try await acquire(key, limit) { try await leases.take(key, lasting: duration) }
            return try await hold(
                SessionHold { lease.remaining },
                body,
                keeping: { [leases] in await leases.renew(lease) },
                ending: { await leases.end(lease, notifying: channel) }
            )
        case .advisory:
            let lock = try await acquire(key, limit) { try await advisoryLocks.take(key) }
            return try await hold(
                SessionHold { lock.remaining },
                body,
                keeping: { [advisoryLocks] in await advisoryLocks.watch(lock) },
                ending: { await advisoryLocks.end(lock, notifying: channel) }
            )
        }
    }

    /// Tries until it succeeds: woken by a notification where one comes, otherwise after a pause that grows.
    private func acquire<Lock>(_ key: Int64, _ limit: Duration, _ take: () async throws -> Lock?) async throws -> Lock {
        let deadline = ContinuousClock.now + min(limit, .seconds(86_400))
        var pause = Self.shortestPause
        while true {
            if Task.isCancelled { throw IdentityError.cancelledWhileWaiting }
            if let lock = try await take() { return lock }
            let remaining = deadline - .now
            guard remaining > .zero else {
                throw IdentityError(
                    .retryLater,
                    .renewalBusy,
                    "Another task, process or machine holds the lock of the session.",
                    hint: "Try again."
                )
            }
            await client.nap(on: key, for: min(remaining, Jitter.duration(from: pause / 2, to: pause)))
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Runs the body with something beside it that keeps the lock alive, and gives the lock back however the body ends.
    private func hold<Result: Sendable>(
        _ hold: SessionHold,
        _ body: @Sendable (SessionHold) async throws -> Result,
        keeping keep: @escaping @Sendable () async -> Void,
        ending end: () async -> Void
    ) async throws -> Result {
        // Not a child: the caller's cancellation must not end what keeps the lock while the body still runs.
        let keeper = Task { await keep() }
        do {
            let result = try await body(hold)
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
