internal import IdentityKit

extension Client {
    /// Runs a body again while it fails for what passes: a lost connection, a server that restarts, a failover.
    ///
    /// - Parameters:
    ///   - limit: How long in all; nil for the limit of a call.
    ///   - body: Gets the time by which it has to be over, and whether an earlier run may have taken effect, or may still.
    /// - Returns: The result of the body.
    /// - Throws: What the body throws, failures of the server as `IdentityError`; of kind `retryLater` if something may have happened.
    func repeating<R>(
        for limit: Duration? = nil,
        _ body: (_ deadline: ContinuousClock.Instant, _ isInDoubt: Bool) async throws -> R
    ) async throws -> R {
        let deadline = limit.map { .now + $0 } ?? self.deadline
        var isInDoubt = false
        var pause = Duration.milliseconds(5)
        while true {
            do {
                return try await body(deadline, isInDoubt)
            } catch {
                guard let failure = error as? PostgresFailure else { throw error }
                isInDoubt = isInDoubt || failure.mayHaveHappened
                guard failure.isPassing, .now + pause < deadline else {
                    let error = failure.identityError
                    throw isInDoubt && error.kind != .retryLater ? error.recast(as: .retryLater) : error
                }
            }
            // A caller that is cancelled must not spin; the change that it began is still brought to its end.
            let wait = Jitter.duration(from: pause / 2, to: pause)
            await Task { _ = try? await Task.sleep(for: wait, clock: .continuous) }.value
            pause = min(pause * 2, .milliseconds(200))
        }
    }

    /// Reads with one statement.
    func read(_ statement: Statement, _ values: Value...) async throws -> Rows {
        try await repeating { deadline, _ in
            try await perform(statement, values, needsWriting: false, by: deadline)
        }
    }

    /// Looks rows up, which a server that may be behind cannot deny.
    ///
    /// - Throws: `store_unavailable` where there are none on a server that takes no writes, and no other is found.
    func find(_ statement: Statement, _ values: Value...) async throws -> Rows {
        try await repeating { deadline, _ in try await find(statement, values, by: deadline) }
    }

    /// Changes rows with one statement that may be repeated without harm, and tells how many.
    func write(_ statement: Statement, _ values: Value...) async throws -> Int {
        try await repeating { deadline, _ in
            try await perform(statement, values, needsWriting: true, by: deadline).changed
        }
    }
}
