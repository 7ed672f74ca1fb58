internal import IdentityHTTP
package import IdentityKit

/// Executes operations at one of Shopify's GraphQL APIs.
package final class GraphQLExecutor: Sendable {
    package let endpoint: GraphQLEndpoint
    let environment: IdentityEnvironment
    let retry: RetryLimits
    let cache: (any ResponseCache)?
    let breaker: ShopBreaker
    let reporter: GraphQLReporter
    /// The running requests for responses that the cache does not have, so that equal calls share one request.
    let misses = SingleFlight<ResponseCacheKey, (answer: GraphQLResponse, body: [UInt8])>()

    package init(
        endpoint: GraphQLEndpoint,
        environment: IdentityEnvironment,
        retry: RetryLimits = .standard,
        cache: (any ResponseCache)? = nil,
        observers: [any GraphQLObserver] = []
    ) {
        self.endpoint = endpoint
        self.environment = environment
        let retry = retry.bounded
        self.retry = retry
        self.cache = cache
        breaker = ShopBreaker(of: endpoint, pause: retry.securityPause, in: environment)
        reporter = GraphQLReporter(observers, clock: environment.clock, host: endpoint.url.host)
    }

    package var deadline: Duration { retry.deadline }

    /// Executes an operation, and throws if the response has no readable data.
    package func execute<Operation: GraphQLOperation>(
        _ operation: Operation,
        _ call: GraphQLCall
    ) async throws(IdentityError) -> GraphQLResult<Operation.Output> {
        try await reporting(Operation.document, call) { call throws(IdentityError) in
            let (output, answer, origin) = try await read(operation, call, needsData: true)
            guard let output else {
                throw answer.failure(endpoint, of: Operation.document.kind).error(for: Operation.document)
            }
            return GraphQLResult(data: output, errors: answer.errors, metadata: answer.metadata, origin: origin)
        }
    }

    /// Executes an operation, and returns data, errors or both.
    ///
    /// Throws if the call gets no GraphQL response with a 2xx status, or if a response without errors has data that cannot be read.
    package func executePartial<Operation: GraphQLOperation>(
        _ operation: Operation,
        _ call: GraphQLCall
    ) async throws(IdentityError) -> PartialGraphQLResult<Operation.Output> {
        try await reporting(Operation.document, call) { call throws(IdentityError) in
            let (output, answer, origin) = try await read(operation, call, needsData: false)
            return PartialGraphQLResult(data: output, errors: answer.errors, metadata: answer.metadata, origin: origin)
        }
    }

    /// The error for a result with data and GraphQL errors; see ``GraphQLFailure/errorBesideData(for:)``.
    package func failure(
        _ errors: [GraphQLError],
        _ metadata: GraphQLMetadata,
        _ document: GraphQLDocument
    ) -> IdentityError {
        let response = GraphQLResponse(data: nil, errors: errors, metadata: metadata)
        return GraphQLFailure(response.error(endpoint), .unknown, metadata).errorBesideData(for: document)
    }

    /// Reads the data; if the response has errors, unreadable data count as missing, because an error can leave a required field null.
    private func read<Operation: GraphQLOperation>(
        _ operation: Operation,
        _ call: GraphQLCall,
        needsData: Bool
    ) async throws(IdentityError) -> (output: Operation.Output?, answer: GraphQLResponse, origin: GraphQLOrigin) {
        let delivery = try await answer(to: operation, call, needsData: needsData)
        let answer = delivery.response
        var output: Operation.Output?
        if let data = answer.data, !answer.isFailure {
            do { output = try Operation.output(data) } catch {
                guard !answer.errors.isEmpty else {
                    throw answer.unreadable(error, endpoint).error(for: Operation.document)
                }
            }
        }
        if output != nil { await keep(delivery, of: call) }
        return (output, answer, delivery.origin)
    }

    /// Runs a call with one correlation id for its events and errors, and reports its end.
    private func reporting<Value: Sendable>(
        _ document: GraphQLDocument,
        _ call: GraphQLCall,
        _ body: (GraphQLCall) async throws(IdentityError) -> Value
    ) async throws(IdentityError) -> Value {
        let start = environment.clock.elapsed
        let progress = GraphQLProgress()
        var call = call
        call.progress = progress
        let result: Result<Value, IdentityError> = await Correlation.scope {
            reporter.reportContext(call.context, document, since: start)
            do throws(IdentityError) {
                let value = try await body(call)
                reporter.report(.finished(nil), of: document, progress, since: start)
                return .success(value)
            } catch {
                reporter.report(.finished(error.code), of: document, progress, since: start)
                return .failure(error)
            }
        }
        // `get()` would copy the value.
        switch consume result {
        case .success(let value): return value
        case .failure(let error): throw error
        }
    }

    func variables<Operation: GraphQLOperation>(of operation: Operation, _ call: GraphQLCall) -> JSONObject {
        var variables = operation.variables.json
        for name in Operation.document.contextVariables where variables[name] == nil {
            if let value = call.context[name] { variables[name] = value }
        }
        return variables
    }

    func request(
        _ document: GraphQLDocument,
        _ variables: JSONObject,
        _ call: GraphQLCall
    ) throws(GraphQLFailure) -> HTTPRequest {
        var body: [UInt8] = []
        body.reserveCapacity(document.bodyStart.count + 1024)
        body += document.bodyStart
        if !variables.members.isEmpty {
            body += #","variables":"#.utf8
            JSONValue.object(variables).append(to: &body)
        }
        body.append(UInt8(ascii: "}"))
        var headers = call.headers
        do {
            try headers.set("Content-Type", "application/json")
            try headers.set("Accept", "application/json")
            try headers.set("User-Agent", environment.userAgent)
        } catch {
            let error = IdentityError(
                configuration: "IdentityEnvironment.userAgent is not a valid value of an HTTP header.",
                hint: "Remove line breaks and control characters from IdentityEnvironment.userAgent.",
                reference: "RFC 9110 section 5.5",
                cause: error
            )
            throw GraphQLFailure(error, .refused)
        }
        return HTTPRequest(
            method: .post,
            url: endpoint.url,
            headers: headers,
            body: body,
            limits: HTTPLimits(maximumBodyBytes: GraphQLLimits().maximumBytes),
            allowsLoopbackHTTP: endpoint.allowsLoopbackHTTP,
            addressPolicy: endpoint.addressPolicy
        )
    }
}
