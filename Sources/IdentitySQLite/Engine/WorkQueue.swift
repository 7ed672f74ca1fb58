internal import Synchronization

/// Work that waits for its turn on the connection; the first to come is told to have it drained.
final class WorkQueue: Sendable {
    private struct State {
        var items: [PendingWork] = []
        var isDraining = false
        var isClosed = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// What became of an item.
    enum Admission {
        case first, queued, refused
    }

    func add(_ item: PendingWork) -> Admission {
        state.withLock { state in
            guard !state.isClosed else { return .refused }
            state.items.append(item)
            let isFirst = !state.isDraining
            state.isDraining = true
            return isFirst ? .first : .queued
        }
    }

    /// Takes what came first.
    func take(upTo limit: Int) -> [PendingWork] {
        state.withLock { state in
            var taken: [PendingWork] = []
            // Nearly always all of it: handing the array over costs no copy.
            if state.items.count <= limit {
                swap(&taken, &state.items)
            } else {
                taken = Array(state.items.prefix(limit))
                state.items.removeFirst(limit)
            }
            return taken
        }
    }

    func putBack(_ items: [PendingWork]) {
        state.withLock { $0.items.insert(contentsOf: items, at: 0) }
    }

    /// Ends the draining if nothing waits any more; whoever comes next is first again.
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

    /// Refuses what comes from now on, and waits for what came before.
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

/// One call that waits.
///
/// Its body may run more than once, each time on a database where the earlier run did not happen.
struct PendingWork: Sendable {
    /// When waiting for other processes is over, on the store's clock.
    let deadline: Duration
    /// Does the work and gives what tells the caller about it.
    let run: @Sendable (Connection) throws -> @Sendable () -> Void
    let fail: @Sendable (any Error) -> Void

    init<R: Sendable>(
        deadline: Duration,
        continuation: CheckedContinuation<R, any Error>,
        body: @escaping @Sendable (Connection) throws -> R
    ) {
        self.deadline = deadline
        run = { connection in
            let result = try body(connection)
            return { continuation.resume(returning: result) }
        }
        fail = { continuation.resume(throwing: $0) }
    }
}
