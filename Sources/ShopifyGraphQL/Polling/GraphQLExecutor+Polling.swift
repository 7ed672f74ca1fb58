internal import FoundationEssentials
internal import IdentityKit

extension GraphQLExecutor {
    /// Carries out an operation again and again until its answer is what is waited for.
    ///
    /// - Parameters:
    ///   - call: Made anew for each poll, because a token may have been renewed meanwhile.
    ///   - interval: The pause between polls where the server gives no hint.
    ///   - timeout: How long to go on.
    ///   - hint: When the server wants to be asked again, by an answer.
    ///   - isDone: Whether an answer is what is waited for.
    /// - Throws: `IdentityError`, with code `IdentityError.Code.pollTimeout` and a ``PollTimeout`` as its cause when time is over.
    package func poll<Operation: GraphQLOperation>(
        _ operation: Operation,
        every interval: Duration,
        timeout: Duration,
        hint: @Sendable (Operation.Output) -> PollHint?,
        until isDone: @Sendable (Operation.Output) throws -> Bool,
        _ call: @Sendable () async throws -> GraphQLCall
    ) async throws -> GraphQLResult<Operation.Output> {
        let clock = environment.clock
        let schedule = PollSchedule(interval: max(interval, .milliseconds(1)), deadline: clock.elapsed + timeout)
        while true {
            let result = try await execute(operation, try await call())
            if try isDone(result.data) { return result }
            let pause = schedule.pause(
                hint: hint(result.data),
                serverTime: result.metadata.date,
                now: clock.now,
                elapsed: clock.elapsed
            )
            guard let pause else {
                throw IdentityError(
                    .retryLater,
                    .pollTimeout,
                    "What \(ForeignName.shown(Operation.document.name)) was waiting for did not come in time.",
                    hint: "See the last answer in the error's cause; poll again, or wait longer.",
                    providerAnswer: IdentityError.ProviderAnswer(
                        status: result.metadata.status,
                        traceID: result.metadata.requestID
                    ),
                    cause: PollTimeout(last: result)
                )
            }
            do {
                try await clock.sleep(for: pause)
                try Task.checkCancellation()
            } catch {
                throw IdentityError.wrapping(error)
            }
        }
    }
}
