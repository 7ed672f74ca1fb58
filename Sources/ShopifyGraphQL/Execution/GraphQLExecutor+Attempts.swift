internal import IdentityHTTP
internal import IdentityKit

extension GraphQLExecutor {
    /// What came over the network, after as many attempts as policy and document allow.
    ///
    /// - Returns: The answer with the bytes that it was read from.
    /// - Throws: What the last attempt failed with.
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
        // Those who share a request count it as theirs.
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
            // The sleep may have been longer than it was to be: an attempt that has no time is an unknown outcome for nothing.
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
            return .failure(GraphQLFailure(error, asking: endpoint.name))
        }
        do throws(GraphQLFailure) {
            return .success((try GraphQLAnswer(response, from: endpoint, hiding: secrets), response.body))
        } catch {
            return .failure(error)
        }
    }

    /// Deals with a 430; the pause before the one attempt that may follow, nil where none does.
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

    /// What a mutation's user errors say where one of them is that Shopify cannot do it now: nothing was changed.
    func unavailable(_ document: GraphQLDocument, _ body: [UInt8]) -> (effect: GraphQLFailure.Effect, asked: Duration?)?
    {
        // Almost no answer has the word, so the tree is looked at in almost none.
        guard document.kind == .mutation, body.contains(Self.unavailable), let fields = data?.json().object?.members
        else {
            return nil
        }
        // Of several fields one may have been carried out while the other was not.
        guard fields.count == 1, let field = fields.first else { return nil }
        let isUnavailable =
            field.value["userErrors"]?.array?.contains {
                $0["code"]?.string.map { $0.utf8.elementsEqual("SERVICE_UNAVAILABLE".utf8) } ?? false
            } ?? false
        return isUnavailable ? (GraphQLFailure.Effect.none, nil) : nil
    }
}
