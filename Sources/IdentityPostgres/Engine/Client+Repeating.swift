#if PostgreSQL
internal import IdentityKit
internal import IdentityPlatform

extension Client {
    /// Repeats a body after temporary failures, such as a lost connection, for at most `limit`; nil means the time limit of a call.
    ///
    /// `isInDoubt` is true if an earlier run may have taken effect, or may still take effect. A `PostgresFailure` becomes an
    /// `IdentityError`, of kind `retryLater` if a change may have taken effect. Any other error of the body is thrown at once, unchanged.
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
                isInDoubt = isInDoubt || failure.mayHaveTakenEffect
                guard failure.isTransient, .now + pause < deadline else {
                    let error = failure.identityError
                    throw isInDoubt && error.kind != .retryLater ? error.recast(as: .retryLater) : error
                }
            }
            // This call continues even if the caller's task is cancelled. A sleep in the cancelled task would end at once, so the pause has
            // its own task.
            let wait = Jitter.duration(from: pause / 2, to: pause)
            await Task { _ = try? await Task.sleep(for: wait, clock: .continuous) }.value
            pause = min(pause * 2, .milliseconds(200))
        }
    }

    /// Reads with one statement, on any server of the pool, also on a standby.
    func read(_ statement: Statement, _ values: Value...) async throws -> Rows {
        try await rows(statement, values, needsWriting: false)
    }

    /// Runs one statement that can be repeated safely, by default on a server that accepts writes, and returns its rows.
    func rows(_ statement: Statement, _ values: [Value], needsWriting: Bool = true) async throws -> Rows {
        try await repeating { deadline, _ in
            try await perform(statement, values, needsWriting: needsWriting, by: deadline)
        }
    }

    /// Looks up rows; if a server that accepts no writes finds no row, asks a server that accepts writes.
    ///
    /// A standby may lack the latest changes. Throws `store_unavailable` if only servers that accept no writes can be reached, and the row
    /// is not found.
    func find(_ statement: Statement, _ values: Value...) async throws -> Rows {
        try await repeating { deadline, _ in
            let reply = try await send(statement, values, to: .pool(needsWriting: false), by: deadline)
            guard reply.rows.isEmpty, reply.mayBeBehind else { return reply.rows }
            do throws(PostgresFailure) {
                return try await perform(statement, values, needsWriting: true, by: deadline)
            } catch {
                throw error.isReadOnly ? PostgresFailure(.behind) : error
            }
        }
    }

    /// Changes rows with one statement that can be repeated safely, and returns how many rows its last run changed.
    func write(_ statement: Statement, _ values: Value...) async throws -> Int {
        try await rows(statement, values).changed
    }
}
#endif
