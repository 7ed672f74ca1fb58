internal import IdentityHTTP
internal import IdentityKit

extension GraphQLExecutor {
    /// Sends an operation, and repeats it as often as the retry limits and the document allow.
    func fetch(
        _ document: GraphQLDocument,
        _ variables: JSONObject,
        _ call: GraphQLCall
    ) async throws(GraphQLFailure) -> (answer: GraphQLResponse, body: [UInt8]) {
        let request = try request(document, variables, call)
        let secrets = RequestSecrets(variables, secrets: call.secrets)
        var retries = RetryDecision(retry, document.repetition, in: environment, until: call.deadline)
        let progress = call.progress ?? GraphQLProgress()
        var permit = try breaker.enter()
        while true {
            retries.begin()
            let outcome = await attempt(request, retries, secrets)
            progress.note(retries.count, outcome)
            var pause: Duration?
            var cause = IdentityError.Code.providerUnavailable
            switch outcome {
            case .success(let (answer, _)):
                release(&permit, wasAnswered: true, document, retries)
                reporter.reportHeaders(of: answer.metadata, document, progress, since: retries.start)
                if let (effect, asked) = answer.retryEffect(document.kind) ?? answer.unavailable(document) {
                    pause = retries.pause(after: effect, asked: asked)
                    if answer.errors.contains(where: { $0.code == .throttled }) { cause = .throttled }
                }
            case .failure(let failure) where failure.effect == .attack:
                cause = failure.error.code
                pause = attacked(&permit, failure, retries, document, progress)
            case .failure(let failure):
                cause = failure.error.code
                let isAnswer = failure.metadata.map { $0.status < 500 } ?? false
                release(&permit, wasAnswered: isAnswer, document, retries)
                if !failure.isFinal { pause = retries.pause(after: failure.effect, asked: failure.error.retryAfter) }
            }
            guard let length = pause else { return try outcome.get() }
            reporter.report(.repeated(cause, after: length), of: document, progress, since: retries.start)
            do {
                try await environment.clock.sleep(for: length)
                try Task.checkCancellation()
            } catch {
                release(&permit, wasAnswered: false, document, retries)
                throw GraphQLFailure(IdentityError.wrapping(error), .refused)
            }
            // The sleep may have taken longer than planned. An attempt that the deadline cuts off would have an unknown outcome.
            guard retries.hasTime() else {
                release(&permit, wasAnswered: false, document, retries)
                return try outcome.get()
            }
            if !permit.isProbe { permit = try breaker.enter() }
        }
    }

    private func attempt(
        _ request: HTTPRequest,
        _ retries: RetryDecision,
        _ secrets: RequestSecrets
    ) async -> Result<(GraphQLResponse, [UInt8]), GraphQLFailure> {
        var request = request
        let time = min(endpoint.timeout, max(retries.remaining, .milliseconds(1)))
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
            return .success((try GraphQLResponse(response, from: endpoint, hiding: secrets), response.body))
        } catch {
            return .failure(error)
        }
    }

    /// Handles HTTP 430 (Shopify rejects the request as an attack); returns the pause before another attempt, or nil for no other attempt.
    private func attacked(
        _ permit: inout CircuitBreaker.Permit,
        _ failure: GraphQLFailure,
        _ retries: RetryDecision,
        _ document: GraphQLDocument,
        _ progress: GraphQLProgress
    ) -> Duration? {
        let asked = failure.error.retryAfter
        let delay = retries.pauseAfterAttack(asked: asked)
        let verdict = breaker.attacked(permit, failure.error, delay: delay, asked: asked)
        permit = .ordinary
        switch verdict {
        case .known: return nil
        case .probe(let probe):
            permit = probe
            return delay
        case .opened(let pause):
            reporter.report(.paused(pause), of: document, progress, since: retries.start)
            return nil
        }
    }

    /// Ends an attempt and makes `permit` ordinary, because a probe is a single attempt.
    private func release(
        _ permit: inout CircuitBreaker.Permit,
        wasAnswered: Bool,
        _ document: GraphQLDocument,
        _ retries: RetryDecision
    ) {
        defer { permit = .ordinary }
        guard breaker.leave(permit, wasAnswered: wasAnswered) else { return }
        reporter.report(.resumed, of: document, nil, since: retries.start)
    }
}
