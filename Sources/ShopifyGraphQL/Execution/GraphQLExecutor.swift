internal import IdentityHTTP
package import IdentityKit

/// Carries out operations at one of Shopify's GraphQL APIs; each API's client is a thin layer over it.
package struct GraphQLExecutor: Sendable {
    /// The API.
    package let endpoint: GraphQLEndpoint
    private let environment: IdentityEnvironment

    package init(endpoint: GraphQLEndpoint, environment: IdentityEnvironment) {
        self.endpoint = endpoint
        self.environment = environment
    }

    /// Carries out an operation whose data are needed.
    ///
    /// - Throws: `IdentityError` where there are no data that can be read.
    package func execute<Operation: GraphQLOperation>(
        _ operation: Operation,
        _ call: GraphQLCall
    ) async throws(IdentityError) -> GraphQLResult<Operation.Output> {
        let answer = try await answer(to: operation, call)
        guard let data = answer.data else { throw answer.failure(endpoint) }
        do {
            let output = try Operation.output(GraphQLNode(data))
            return GraphQLResult(data: output, errors: answer.errors, metadata: answer.metadata)
        } catch {
            // A null where the reader needs a value is explained by the errors beside it, if there are any.
            guard answer.errors.isEmpty else { throw answer.failure(endpoint) }
            throw answer.unreadable(error, endpoint)
        }
    }

    /// Carries out an operation and returns whatever came: data, errors or both.
    ///
    /// - Throws: `IdentityError` where there is no GraphQL answer, or data without errors that cannot be read.
    package func executePartial<Operation: GraphQLOperation>(
        _ operation: Operation,
        _ call: GraphQLCall
    ) async throws(IdentityError) -> PartialGraphQLResult<Operation.Output> {
        let answer = try await answer(to: operation, call)
        var output: Operation.Output?
        if let data = answer.data {
            do { output = try Operation.output(GraphQLNode(data)) } catch {
                guard !answer.errors.isEmpty else { throw answer.unreadable(error, endpoint) }
            }
        }
        return PartialGraphQLResult(data: output, errors: answer.errors, metadata: answer.metadata)
    }

    private func answer<Operation: GraphQLOperation>(
        to operation: Operation,
        _ call: GraphQLCall
    ) async throws(IdentityError) -> GraphQLAnswer {
        let variables = variables(of: operation, call)
        let request = try request(Operation.document, variables, call)
        let response: HTTPResponse
        do {
            response = try await environment.transport.send(request)
        } catch {
            throw IdentityError(error, asking: endpoint.name)
        }
        return try GraphQLAnswer(response, from: endpoint, hiding: SentValues(variables, secrets: call.secrets))
    }

    /// The operation's variables, and of the context's those that the document declares: Shopify refuses undeclared ones.
    private func variables<Operation: GraphQLOperation>(of operation: Operation, _ call: GraphQLCall) -> JSONObject {
        var variables = operation.variables.json
        for name in Operation.document.contextVariables where variables[name] == nil {
            if let value = call.context[name] { variables[name] = value }
        }
        return variables
    }

    private func request(
        _ document: GraphQLDocument,
        _ variables: JSONObject,
        _ call: GraphQLCall
    ) throws(IdentityError) -> HTTPRequest {
        var body: JSONObject = ["query": .string(document.text)]
        if !variables.members.isEmpty { body["variables"] = .object(variables) }
        var limits = HTTPLimits(maximumBodyBytes: endpoint.maximumBodyBytes)
        limits.totalTimeout = endpoint.timeout
        limits.firstByteTimeout = endpoint.timeout
        limits.connectTimeout = min(limits.connectTimeout, endpoint.timeout)
        var headers = call.headers
        do {
            try headers.set("Content-Type", "application/json")
            try headers.set("Accept", "application/json")
            try headers.set("User-Agent", endpoint.userAgent)
        } catch {
            throw IdentityError(error, asking: endpoint.name)
        }
        return HTTPRequest(
            method: .post,
            url: endpoint.url,
            headers: headers,
            body: JSONValue.object(body).serialized,
            limits: limits,
            allowsLoopbackHTTP: endpoint.allowsLoopbackHTTP
        )
    }
}
