internal import Synchronization

/// Lets one task at a time work on a key; the others wait in order, suspended and cancellable.
final class KeyedLock<Key: Hashable & Sendable>: Sendable {
    private struct Waiter {
        let ticket: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        /// A key that is here is held; its waiters stand in line.
        var lines: [Key: [Waiter]] = [:]
        var lastTicket = 0
    }

    private let state = Mutex(State())

    func withLock<Result: Sendable>(_ key: Key, _ body: () async throws -> Result) async throws -> Result {
        try await acquire(key)
        defer { release(key) }
        return try await body()
    }

    private func acquire(_ key: Key) async throws {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let settled: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.lines[key] == nil {
                        state.lines[key] = []
                        return .success(())
                    }
                    state.lines[key]?.append(Waiter(ticket: ticket, continuation: continuation))
                    return nil
                }
                if let settled { continuation.resume(with: settled) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.lines[key]?.firstIndex(where: { $0.ticket == ticket }) else { return nil }
                return state.lines[key]?.remove(at: index)
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private func release(_ key: Key) {
        let next = state.withLock { state -> Waiter? in
            guard let line = state.lines[key], !line.isEmpty else {
                state.lines[key] = nil
                return nil
            }
            return state.lines[key]?.removeFirst()
        }
        next?.continuation.resume()
    }
}
