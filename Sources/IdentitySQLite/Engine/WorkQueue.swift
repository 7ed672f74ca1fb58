internal import IdentityKit
internal import IdentityPlatform
internal import IdentityStoreKit
internal import Synchronization

/// The queued calls of a ``BatchWorker``, and the executor that runs them.
final class WorkQueue: Sendable {
    /// The maximum number of calls in one transaction; it limits the size of the journal and the waiting time of the next calls.
    private static let batchLimit = 256

    private struct State {
        var items: [PendingWork] = []
        var isDraining = false
        var isClosed = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let executor = SerialQueueExecutor()
    let clock: any IdentityClock
    /// How long a call waits for the locks of other connections.
    let wait: Duration
    private let state = Mutex(State())

    init(clock: any IdentityClock, wait: Duration) {
        self.clock = clock
        self.wait = wait
    }

    var isIdle: Bool { state.withLock { !$0.isDraining } }

    /// Queues a call, and returns whether the caller must start the worker; a closed queue fails the call.
    func add(_ item: PendingWork) -> Bool {
        let isFirst = state.withLock { state -> Bool? in
            guard !state.isClosed else { return nil }
            state.items.append(item)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if isFirst == nil { item.fail(IdentityError.storeClosed) }
        return isFirst ?? false
    }

    func take() -> [PendingWork] {
        state.withLock { state in
            var taken: [PendingWork] = []
            // In this usual case, `swap` avoids a copy of the array.
            if state.items.count <= Self.batchLimit {
                swap(&taken, &state.items)
            } else {
                taken = Array(state.items.prefix(Self.batchLimit))
                state.items.removeFirst(Self.batchLimit)
            }
            return taken
        }
    }

    /// Puts back the calls whose deadline has not passed, and fails the others with `store_busy`.
    func postpone(_ batch: some Collection<PendingWork>) {
        let now = clock.elapsed
        let items = batch.filter { $0.deadline > now }
        state.withLock { $0.items.insert(contentsOf: items, at: 0) }
        for work in batch where work.deadline <= now { work.fail(IdentityError.storeBusy()) }
    }

    /// Waits 0.5 to 3 milliseconds, so that another process can release its lock.
    func pause() async throws {
        try await clock.pause(for: Jitter.duration(from: .microseconds(500), to: .milliseconds(3)))
    }

    /// Stops the worker if the queue is empty, and returns whether it was empty.
    func finishIfEmpty() -> Bool {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
            guard state.items.isEmpty else { return nil }
            state.isDraining = false
            let waiters = state.waiters
            state.waiters = []
            return waiters
        }
        for waiter in waiters ?? [] { waiter.resume() }
        return waiters != nil
    }

    /// Refuses new calls and waits until the calls that were added before have run.
    func close() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                state.isClosed = true
                if state.isDraining { state.waiters.append(continuation) }
                return !state.isDraining
            }
            if isIdle { continuation.resume() }
        }
    }
}

/// A queued call; its body may run more than once, each time after the changes of the earlier run were rolled back.
struct PendingWork: Sendable {
    /// When the call stops waiting for other processes, on the store's clock (`IdentityClock.elapsed`).
    let deadline: Duration
    /// Runs the body, and returns a closure that passes the result or an error to the caller.
    let run: @Sendable (Connection) throws -> @Sendable () -> Void
    /// Makes the caller throw an error, as an `IdentityError`.
    let fail: @Sendable (any Error) -> Void

    init<R: Sendable>(
        deadline: Duration,
        continuation: CheckedContinuation<R, any Error>,
        body: @escaping @Sendable (Connection) throws -> R
    ) {
        self.deadline = deadline
        run = { connection in
            let changes = connection.changes
            do {
                let result = try body(connection)
                return { continuation.resume(returning: result) }
            } catch let error where !(error is SQLiteFailure) && connection.changes == changes {
                // The call failed before it changed a row. So only its caller gets the error, and the transaction continues.
                return { continuation.resume(throwing: error) }
            }
        }
        fail = { continuation.resume(throwing: ($0 as? SQLiteFailure)?.identityError ?? .wrapping($0)) }
    }
}

extension IdentityClock {
    /// Sleeps; throws an `IdentityError` of kind `cancelled` when the task is cancelled.
    func pause(for duration: Duration) async throws {
        do {
            try await sleep(for: duration)
        } catch {
            throw IdentityError.cancellation(cause: error)
        }
    }
}
