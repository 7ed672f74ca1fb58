internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// The server, as tasks see it: statements and transactions, each answered once and within its deadline.
///
/// What has been handed in is done even if the caller is cancelled, so that no connection is ever left in the middle.
final class Client: Sendable {
    private let mailbox: Mailbox
    private let callLimit: Duration
    private let nextNap = Mutex<UInt64>(0)
    let directState: DirectState

    init(_ settings: PoolSettings, callLimit: Duration) throws(PostgresFailure) {
        let mailbox = try Mailbox()
        self.mailbox = mailbox
        self.callLimit = callLimit
        directState = settings.directState
        guard DedicatedThread.start({ Loop(mailbox: mailbox, settings: settings).run() }) else {
            throw PostgresFailure(.client)
        }
    }

    deinit {
        mailbox.post(.close)
    }

    /// By when a call that begins now has to be over.
    var deadline: ContinuousClock.Instant { .now + callLimit }

    /// Ends all connections; what is under way fails.
    func close() async {
        mailbox.post(.close)
        await mailbox.waitForEnd()
    }

    /// Runs one statement on any connection of the pool, as a transaction of its own.
    func perform(
        _ statement: Statement,
        _ values: [Value],
        needsWriting: Bool,
        by deadline: ContinuousClock.Instant
    ) async throws(PostgresFailure) -> Rows {
        try await send(statement, values, needsWriting, deadline) { .perform($0, .pooled) }.rows
    }

    /// Looks rows up; that there are none is believed only of a server that takes writes, for a standby may be behind.
    func find(
        _ statement: Statement,
        _ values: [Value],
        by deadline: ContinuousClock.Instant
    ) async throws(PostgresFailure) -> Rows {
        let reply = try await send(statement, values, false, deadline) { .perform($0, .pooled) }
        guard reply.rows.isEmpty, reply.mayBeBehind else { return reply.rows }
        do {
            return try await perform(statement, values, needsWriting: true, by: deadline)
        } catch {
            throw error.isReadOnly ? PostgresFailure(.behind) : error
        }
    }

    /// Runs one statement on the direct connection.
    func performDirectly(
        _ statement: Statement,
        _ values: [Value],
        by deadline: ContinuousClock.Instant
    ) async throws(PostgresFailure) -> Reply {
        try await send(statement, values, true, deadline) { .perform($0, .direct) }
    }

    /// Ends the direct connection, if it still is this one.
    func dropDirect(_ link: Int) {
        mailbox.post(.dropDirect(link: link))
    }

    /// Runs a body in a transaction, which is rolled back when the body throws.
    ///
    /// - Throws: What the body throws; of the server's failures, those of COMMIT may have happened.
    func transaction<R: Sendable>(
        by deadline: ContinuousClock.Instant,
        _ body: (Transaction) async throws -> R
    ) async throws -> R {
        let granted = await withCheckedContinuation { continuation in
            let borrowing = Borrowing(needsWriting: true, deadline: deadline, continuation: continuation)
            if !mailbox.post(.borrow(borrowing)) { continuation.resume(returning: .failure(PostgresFailure(.closed))) }
        }
        let transaction = Transaction(client: self, link: try granted.get(), deadline: deadline)
        defer { mailbox.post(.giveBack(link: transaction.link)) }
        do {
            // The isolation that the statements were written for, whatever the database's default is.
            _ = try await transaction.run(Statement("BEGIN ISOLATION LEVEL READ COMMITTED"))
            let result = try await body(transaction)
            _ = try await transaction.run(Statement("COMMIT"), mayHaveHappened: true)
            return result
        } catch {
            // Fails where the server has rolled back on its own, which is what was wanted.
            _ = try? await transaction.run(Statement("ROLLBACK"))
            throw error
        }
    }

    fileprivate func performBorrowed(
        _ statement: Statement,
        _ values: [Value],
        on link: Int,
        by deadline: ContinuousClock.Instant
    ) async throws(PostgresFailure) -> Rows {
        try await send(statement, values, true, deadline) { .performBorrowed($0, link: link) }.rows
    }

    private func send(
        _ statement: Statement,
        _ values: [Value],
        _ needsWriting: Bool,
        _ deadline: ContinuousClock.Instant,
        _ command: (Call) -> Mailbox.Command
    ) async throws(PostgresFailure) -> Reply {
        try await withCheckedContinuation { continuation in
            let call = Call(
                statement: statement,
                values: values,
                needsWriting: needsWriting,
                deadline: deadline,
                continuation: continuation
            )
            if !mailbox.post(command(call)) { continuation.resume(returning: .failure(PostgresFailure(.closed))) }
        }.get()
    }

    /// Waits for a notification about a key, for so long or until the task is cancelled.
    func nap(on key: Int64, for duration: Duration) async {
        let id = nextNap.withLock { number in
            number += 1
            return number
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let nap = Nap(id: id, key: key, deadline: .now + duration, continuation: continuation)
                if !mailbox.post(.nap(nap)) { continuation.resume() }
                // The handler may have come before there was anything to wake.
                if Task.isCancelled { mailbox.post(.wake(nap: id)) }
            }
        } onCancel: {
            mailbox.post(.wake(nap: id))
        }
    }
}

/// A connection while a transaction has it.
struct Transaction: Sendable {
    fileprivate let client: Client
    fileprivate let link: Int
    fileprivate let deadline: ContinuousClock.Instant

    /// Runs a statement; before COMMIT a failure means that nothing has happened.
    func run(
        _ statement: Statement,
        _ values: Value...,
        mayHaveHappened: Bool = false
    ) async throws(PostgresFailure) -> Rows {
        do {
            return try await client.performBorrowed(statement, values, on: link, by: deadline)
        } catch {
            throw PostgresFailure(error.reason, mayHaveHappened: mayHaveHappened && error.mayHaveHappened)
        }
    }
}
