internal import Synchronization

/// Loads sessions from the store; callers that load the same session at the same time share one read and its decoding.
///
/// Callers that arrive during a read share the next read, because the running read may lack changes that were saved after it began.
final class SharedSessionReads: Sendable {
    private typealias Waiter = CheckedContinuation<Turn, Never>

    /// What a caller does next: read for itself and for the waiting callers, or take the result of another caller's read.
    private enum Turn: Sendable {
        case read(for: [Waiter])
        case take(Result<DecodedSession, any Error>)
    }

    private let visible: VisibleSessions
    /// For each session that is being read, the callers that wait for the next read.
    private let waiting = Mutex<[SessionID: [Waiter]]>([:])

    init(_ visible: VisibleSessions) {
        self.visible = visible
    }

    /// Loads a session with a read that begins after the call; throws the errors of ``VisibleSessions/load(_:)``.
    func load(_ id: SessionID) async throws -> DecodedSession {
        switch await turn(id) {
        case .take(let result): return try result.get()
        case .read(let others):
            let result: Result<DecodedSession, any Error>
            do {
                result = .success(try await visible.load(id))
            } catch {
                result = .failure(error)
            }
            pass(id, result, to: others)
            return try result.get()
        }
    }

    private func turn(_ id: SessionID) async -> Turn {
        let isFirst = waiting.withLock { waiting in
            guard waiting[id] == nil else { return false }
            waiting[id] = []
            return true
        }
        if isFirst { return .read(for: []) }
        return await withCheckedContinuation { waiter in
            let isFirst = waiting.withLock { waiting in
                // The other caller's read may have ended since the check above.
                let isFirst = waiting[id] == nil
                waiting[id, default: []] += isFirst ? [] : [waiter]
                return isFirst
            }
            if isFirst { waiter.resume(returning: .read(for: [])) }
        }
    }

    /// Passes the result of a read to `others`, which share the read, and lets one of the later callers read next.
    private func pass(_ id: SessionID, _ result: Result<DecodedSession, any Error>, to others: [Waiter]) {
        // A cancellation of this caller can make its read fail. The other callers then read again.
        let isOwnFailure = if case .failure = result { Task.isCancelled } else { false }
        let next = waiting.withLock { waiting in
            let next = (isOwnFailure ? others : []) + (waiting[id] ?? [])
            waiting[id] = next.isEmpty ? nil : []
            return next
        }
        next.first?.resume(returning: .read(for: Array(next.dropFirst())))
        guard !isOwnFailure else { return }
        for waiter in others { waiter.resume(returning: .take(result)) }
    }
}
