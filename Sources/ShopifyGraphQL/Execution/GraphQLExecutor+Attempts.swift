internal import IdentityHTTP
internal import IdentityKit

extension GraphQLExecutor {
    /// A response from the network, after as many attempts as policy and document allow.
    ///
    /// - Returns: The response and its bytes.
    /// - Throws: The error of the last attempt.
    func fetch(
        _ document: GraphQLDocument,
        _ variables: JSONObject,
        _ call: GraphQLCall
    ) async throws(GraphQLFailure) -> (answer: GraphQLAnswer, body: [UInt8]) {
        let request: HTTPRequest
        do { request = try self.request(document, variables, call) } catch { throw GraphQLFailure(error, .refused) }
        let secrets = RedactedValues(variables, secrets: call.secrets)
        let clock = environment.clock
        var attempts = RetryAttempts(retry, document.repetition, start: clock.elapsed, until: call.deadline)
        // Callers that share a request all count it.
        let progress = call.progress ?? GraphQLProgress()
        var permit: CircuitBreaker.Permit
        do { permit = try breaker.enter() } catch { throw GraphQLFailure(error, .refused) }
        while true {
            attempts.begin()
            let outcome = await attempt(request, attempts, secrets)
            progress.note(attempts.count, outcome)
            var pause: Duration?
            var cause: IdentityError.Code
            switch outcome {
            case .success(let (answer, body)):
                release(permit, wasAnswered: true, document, attempts)
                permit = .ordinary
                let metadata = answer.metadata
                reporter.reportHeaders(of: metadata, document, progress, since: attempts.start)
                guard let (effect, asked) = answer.repeatable(document.kind) ?? answer.unavailable(document, body)
                else {
                    return (answer, body)
                }
                pause = attempts.pause(after: effect, asked: asked, now: clock.elapsed, random: environment.random)
                guard pause != nil else { return (answer, body) }
                cause = effect == .none ? .throttled : .providerUnavailable
            case .failure(let failure):
                cause = failure.error.code
                if failure.effect == .attack {
                    pause = attacked(&permit, failure, attempts, document, progress)
                } else {
                    let isAnswer = failure.metadata.map { $0.status < 500 } ?? false
                    release(permit, wasAnswered: isAnswer, document, attempts)
                    permit = .ordinary
                    if !failure.isFinal {
                        pause = attempts.pause(
                            after: failure.effect,
                            asked: failure.error.retryAfter,
                            now: clock.elapsed,
                            random: environment.random
                        )
                    }
                }
                guard pause != nil else { throw failure }
            }
            let length = pause ?? .zero
            reporter.report(.repeated(cause, after: length), of: document, progress, since: attempts.start)
            do {
                try await clock.sleep(for: length)
                try Task.checkCancellation()
            } catch {
                release(permit, wasAnswered: false, document, attempts)
                throw GraphQLFailure(IdentityError.wrapping(error), .refused)
            }
            // The sleep may have taken longer. An attempt without enough time would only lead to an unknown outcome.
            guard attempts.hasTime(at: clock.elapsed) else {
                release(permit, wasAnswered: false, document, attempts)
                return try outcome.get()
            }
            if !permit.isProbe {
                do { permit = try breaker.enter() } catch { throw GraphQLFailure(error, .refused) }
            }
        }
    }

    private func attempt(
        _ request: HTTPRequest,
        _ attempts: RetryAttempts,
        _ secrets: RedactedValues
    ) async -> Result<(GraphQLAnswer, [UInt8]), GraphQLFailure> {
        var request = request
        let time = min(endpoint.timeout, max(attempts.remaining(at: environment.clock.elapsed), .milliseconds(1)))
        request.limits.totalTimeout = time
        request.limits.firstByteTimeout = time
        request.limits.connectTimeout = min(request.limits.connectTimeout, time)
        let response: HTTPResponse
        do {
            response = try await environment.transport.send(request)
        } catch {
            return .failure(GraphQLFailure(error, asking: endpoint.name, at: endpoint.url.host))
        }
        do throws(GraphQLFailure) {
            return .success((try GraphQLAnswer(response, from: endpoint, hiding: secrets), response.body))
        } catch {
            return .failure(error)
        }
    }

    /// Handles a 430.
    private func attacked(
        _ permit: inout CircuitBreaker.Permit,
        _ failure: GraphQLFailure,
        _ attempts: RetryAttempts,
        _ document: GraphQLDocument,
        _ progress: GraphQLProgress
    ) -> Duration? {
        let asked = failure.error.retryAfter
        let delay = attempts.pauseAfterAttack(
            asked: asked,
            now: environment.clock.elapsed,
            random: environment.random
        )
        let verdict = breaker.attacked(permit, failure.error, delay: delay, asked: asked)
        permit = .ordinary
        switch verdict {
        case .known: return nil
        case .probe(let probe):
            permit = probe
            return delay
        case .opened(let pause):
            reporter.report(.paused(pause), of: document, progress, since: attempts.start)
            return nil
        }
    }

    private func release(
        _ permit: CircuitBreaker.Permit,
        wasAnswered: Bool,
        _ document: GraphQLDocument,
        _ attempts: RetryAttempts
    ) {
        guard breaker.leave(permit, wasAnswered: wasAnswered) else { return }
        reporter.report(.resumed, of: document, nil, since: attempts.start)
    }
}

extension GraphQLAnswer {
    private static let unavailable = Array("\"SERVICE_UNAVAILABLE\"".utf8)

    /// The user errors of a mutation, if one says that Shopify cannot do it now.
    ///
    /// Nothing was changed then.
    func unavailable(_ document: GraphQLDocument, _ body: [UInt8]) -> (effect: GraphQLFailure.Effect, asked: Duration?)?
    {
        // Few responses contain the text, so few are searched in full.
        guard document.kind == .mutation, body.contains(Self.unavailable), let fields = data?.json().object?.members
        else {
            return nil
        }
        // If there are several fields, one of them may have been carried out.
        guard fields.count == 1, let field = fields.first else { return nil }
        let isUnavailable =
            field.value["userErrors"]?.array?.contains {
                $0["code"]?.string.map { $0.utf8.elementsEqual("SERVICE_UNAVAILABLE".utf8) } ?? false
            } ?? false
        return isUnavailable ? (GraphQLFailure.Effect.none, nil) : nil
    }
}
