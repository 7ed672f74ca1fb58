internal import FoundationEssentials
internal import IdentityKit

extension GraphQLExecutor {
    /// Repeats an operation until `isDone` accepts its result; an error of a poll, of `isDone` or of `call` ends the polling.
    ///
    /// `call` creates a call for each poll, because the token may have been refreshed since the last poll. The last request may end up to
    /// two seconds after `timeout`. If the next poll would start after `timeout`, throws `poll_timeout` with a ``PollTimeout`` as cause.
    package func poll<Operation: GraphQLOperation>(
        _ operation: Operation,
        every interval: Duration,
        timeout: Duration,
        hint: @Sendable (Operation.Output) -> PollHint?,
        until isDone: @Sendable (Operation.Output) throws -> Bool,
        _ call: @Sendable () async throws -> GraphQLCall
    ) async throws -> GraphQLResult<Operation.Output> {
        let document = Operation.document
        guard document.kind == .query || document.repetition == .always else {
            throw IdentityError(
                .rejected,
                .invalidRequest,
                "\(ForeignName.shown(document.name)) cannot be polled, because it is a mutation whose repetition is not .always.",
                hint:
                    "Poll with a query. If a repetition of the mutation changes nothing, set the document's repetition to .always."
            )
        }
        let clock = environment.clock
        let schedule = PollSchedule(interval: interval, timeout: timeout, start: clock.elapsed)
        var last: GraphQLResult<Operation.Output>?
        while true {
            var call = try await call()
            // A request that starts just before the timeout gets two seconds for its response.
            call.deadline = max(schedule.deadline, clock.elapsed + .seconds(2))
            let result: GraphQLResult<Operation.Output>
            do {
                result = try await execute(operation, call)
            } catch {
                // After a temporary failure at the end of the timeout, the caller gets the timeout error, which contains the last result.
                guard let last, error.kind == .retryLater, schedule.isOver(at: clock.elapsed) else { throw error }
                throw Self.timeout(last, document)
            }
            last = result
            if try isDone(result.data) { return result }
            let pause = schedule.pause(
                hint: hint(result.data),
                serverTime: result.metadata.date,
                now: clock.now,
                elapsed: clock.elapsed
            )
            guard let pause else { throw Self.timeout(result, document) }
            do {
                try await clock.sleep(for: pause)
                try Task.checkCancellation()
            } catch {
                throw IdentityError.wrapping(error)
            }
        }
    }

    private static func timeout<Output: Sendable>(
        _ last: GraphQLResult<Output>,
        _ document: GraphQLDocument
    ) -> IdentityError {
        IdentityError(
            .retryLater,
            .pollTimeout,
            "Polling with \(ForeignName.shown(document.name)) timed out.",
            hint: "Read the last result in the error's cause, PollTimeout. Then poll again, or pass a longer timeout.",
            providerResponse: IdentityError.ProviderResponse(last.metadata),
            cause: PollTimeout(last: last)
        )
    }
}
