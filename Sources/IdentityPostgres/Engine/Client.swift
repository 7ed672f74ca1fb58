#if PostgreSQL
internal import IdentityKit
internal import IdentityPlatform
internal import Synchronization

/// Runs statements and transactions for tasks.
///
/// A task waits for a statement at most until the statement's deadline, also in a transaction. Cancelling the task does not end this wait,
/// so that no connection stays in the middle of a statement. Only ``waitForRelease(of:for:)`` ends when the task is cancelled.
final class Client: Sendable {
    private let mailbox: Mailbox<Command>
    private let callLimit: Duration
    private let lastWait = Atomic<UInt64>(0)
    let directState: DirectState

    init(_ settings: PoolSettings, callLimit: Duration) throws(PostgresFailure) {
        guard let wakeup = WakeupPipe() else { throw PostgresFailure(.client) }
        let mailbox = Mailbox<Command>(wake: wakeup.wake)
        self.mailbox = mailbox
        self.callLimit = callLimit
        directState = settings.directState
        guard DedicatedThread.start({ ConnectionLoop(mailbox, wakeup, settings).run() }) else {
            _ = mailbox.close(releasing: wakeup.close)
            throw PostgresFailure(.client)
        }
    }

    deinit {
        mailbox.post(.close)
    }

    var deadline: ContinuousClock.Instant { .now + callLimit }

    /// Closes all connections; running calls fail.
    func close() async {
        mailbox.post(.close)
        await mailbox.waitForEnd()
    }

    /// Runs one statement in its own transaction on a connection of the pool; if `needsWriting` is true, on a server that accepts writes.
    func perform(
        _ statement: Statement,
        _ values: [Value],
        needsWriting: Bool,
        by deadline: ContinuousClock.Instant
    ) async throws(PostgresFailure) -> Rows {
        try await send(statement, values, to: .pool(needsWriting: needsWriting), by: deadline).rows
    }

    /// Closes the direct connection if its number is `link` (``Reply/link``), so that a newer direct connection stays open.
    func dropDirect(_ link: Int) {
        mailbox.post(.dropDirect(link: link))
    }

    /// Runs a body in a transaction, which is rolled back when the body throws.
    ///
    /// After a failed COMMIT, it may be unknown whether the transaction took effect.
    func transaction<R: Sendable>(
        by deadline: ContinuousClock.Instant,
        _ body: (Transaction) async throws -> R
    ) async throws -> R {
        let link: Int
        do throws(PostgresFailure) {
            // The statements are written for this isolation level; the database may have another default.
            let begin = Statement("BEGIN ISOLATION LEVEL READ COMMITTED")
            link = try await send(begin, [], to: .newTransaction, by: deadline).link
        } catch {
            throw PostgresFailure(error.reason)
        }
        let transaction = Transaction(client: self, link: link, deadline: deadline)
        defer { mailbox.post(.endTransaction(link: link)) }
        do {
            let result = try await body(transaction)
            _ = try await send(Statement("COMMIT"), [], to: .transaction(link: link), by: deadline)
            return result
        } catch {
            // If the connection is lost, the ROLLBACK fails. The server itself rolls back a transaction that was not committed.
            _ = try? await transaction.run(Statement("ROLLBACK"))
            throw error
        }
    }

    func send(
        _ statement: Statement,
        _ values: [Value],
        to target: StatementCall.Target,
        by deadline: ContinuousClock.Instant
    ) async throws(PostgresFailure) -> Reply {
        try await withCheckedContinuation { continuation in
            let call = StatementCall(
                statement: statement,
                values: values,
                target: target,
                deadline: deadline,
                continuation: continuation
            )
            if !mailbox.post(.perform(call)) { call.fail(PostgresFailure(.closed)) }
        }.get()
    }

    /// Waits for a notification that the lock with this key was released, until the time limit or until the task is cancelled.
    func waitForRelease(of key: Int64, for duration: Duration) async {
        let id = lastWait.add(1, ordering: .relaxed).newValue
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let wait = LockWait(id: id, key: key, deadline: .now + duration, continuation: continuation)
                if !mailbox.post(.waitForLock(wait)) { continuation.resume() }
                // If the cancellation handler posted `endWait` before the wait was queued, that command had no effect.
                if Task.isCancelled { mailbox.post(.endWait(id)) }
            }
        } onCancel: {
            mailbox.post(.endWait(id))
        }
    }
}

struct Transaction: Sendable {
    fileprivate let client: Client
    fileprivate let link: Int
    fileprivate let deadline: ContinuousClock.Instant

    /// Runs a statement; if it fails, the transaction has no effect.
    func run(_ statement: Statement, _ values: Value...) async throws(PostgresFailure) -> Rows {
        do {
            return try await client.send(statement, values, to: .transaction(link: link), by: deadline).rows
        } catch {
            throw PostgresFailure(error.reason)
        }
    }
}
#endif
