internal import FoundationEssentials
internal import IdentityKit

extension GraphQLExecutor {
    /// Carries out an operation again and again until its answer is what is waited for.
    ///
    /// - Parameters:
    ///   - call: Made anew for each poll, because a token may have been renewed meanwhile.
    ///   - interval: The pause between polls where the server gives no hint.
    ///   - timeout: How long to go on; the last request may take two seconds more.
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
        let document = Operation.document
        guard document.kind == .query || document.repetition == .always else {
            throw IdentityError(
                .rejected,
                .invalidRequest,
                "\(ForeignName.shown(document.name)) must not be sent again and again.",
                hint: "Poll with a query, or with a mutation that sets a state."
            )
        }
        let clock = environment.clock
        let schedule = PollSchedule(interval: max(interval, .milliseconds(100)), deadline: clock.elapsed + timeout)
        var last: GraphQLResult<Operation.Output>?
        while true {
            var call = try await call()
            // Whoever asks at the end of the time shall get an answer.
            call.deadline = max(schedule.deadline, clock.elapsed + .seconds(2))
            let result: GraphQLResult<Operation.Output>
            do {
                result = try await execute(operation, call)
            } catch {
                // An outage at the end of the time is no reason to lose what came before it.
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
            "What \(ForeignName.shown(document.name)) was waiting for did not come in time.",
            hint: "See the last answer in the error's cause; poll again, or wait longer.",
            providerAnswer: IdentityError.ProviderAnswer(
                status: last.metadata.status,
                traceID: last.metadata.requestID
            ),
            cause: PollTimeout(last: last)
        )
    }
}
