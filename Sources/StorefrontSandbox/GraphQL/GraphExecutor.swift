internal import GraphQLLanguage
internal import IdentityKit

struct GraphCall: Sendable {
    let arguments: JSONObject
    /// The arguments of `@inContext`; empty for an operation without this directive.
    let context: JSONObject
}

extension JSONObject {
    func text(_ name: String) -> String { self[name]?.string ?? "" }

    func list(_ name: String) -> [JSONValue] { self[name]?.array ?? [] }

    func object(_ name: String) -> JSONObject { self[name]?.object ?? [:] }
}

struct GraphExecutor: Sendable {
    typealias Resolver = @Sendable (GraphCall) -> GraphNode
    /// Returns the members of the mutation's payload, or throws a ``UserError``; the executor adds missing lists of errors and warnings.
    typealias Mutation = @Sendable (GraphCall) throws -> [String: GraphNode]

    let schema: GraphSchema
    let queries: [String: Resolver]
    let mutations: [String: Mutation]
    /// The missing access scope of each field that gets an `ACCESS_DENIED` error, by names such as `QueryRoot.customer`.
    var missingScopes: [String: String] = [:]

    /// Returns the response to a request body `{query, variables, operationName}`.
    func run(_ request: JSONValue) -> JSONObject {
        guard let text = request["query"]?.string else {
            return ["errors": .object(["query": .string("Required parameter missing or invalid")])]
        }
        do {
            let document = try parse(text)
            var documents = GraphDocumentSet(requiresNames: false)
            documents.add(document, file: "")
            var validator = GraphValidator(schema, documents)
            validator.run()
            guard validator.violations.isEmpty else {
                return ["errors": .array(validator.violations.map { GraphError($0).json })]
            }
            let operation = try choose(from: document, request["operationName"]?.string)
            let variables = try coerceVariables(of: operation, request["variables"]?.object ?? [:])
            return execute(document, operation, variables)
        } catch {
            return ["errors": .array([error.json])]
        }
    }

    private func parse(_ text: String) throws(GraphError) -> GraphDocument {
        do { return try GraphParser.document(text) } catch {
            throw GraphError(message: error.message, code: "PARSE_ERROR", locations: [error.location])
        }
    }

    private func choose(from document: GraphDocument, _ name: String?) throws(GraphError) -> GraphOperation {
        if let name {
            if let operation = document.operations.first(where: { $0.name == name }) { return operation }
        } else if document.operations.count == 1, let only = document.operations.first {
            return only
        }
        throw GraphError(message: "An operation name is required", code: "missingOperation")
    }

    private func coerceVariables(of operation: GraphOperation, _ given: JSONObject) throws(GraphError) -> JSONObject {
        var coerced = JSONObject()
        for variable in operation.variables {
            do throws(GraphProblem) {
                let value = given[variable.name]
                coerced[variable.name] = try schema.coerce(value, orElse: variable.defaultValue, to: variable.type)
            } catch {
                let problem: JSONObject = ["path": .array(error.path), "explanation": .string(error.explanation)]
                throw GraphError(
                    message: "Variable $\(variable.name) of type \(variable.type) was provided invalid value"
                        + (error.path.isEmpty ? "" : " for \(error.place) (\(error.explanation))"),
                    code: "INVALID_VARIABLE",
                    locations: [variable.location],
                    details: ["problems": .array([.object(problem)])]
                )
            }
        }
        return coerced
    }

    private func execute(_ document: GraphDocument, _ operation: GraphOperation, _ variables: JSONObject) -> JSONObject
    {
        var run = GraphRun(schema: schema, document: document, variables: variables, missingScopes: missingScopes)
        var context = JSONObject()
        for directive in operation.directives where directive.name == "inContext" {
            context = (try? run.arguments(directive.arguments, schema.directives["inContext"]?.arguments ?? [])) ?? [:]
        }
        let rootType = schema.root(operation.kind) ?? ""
        let call = { @Sendable [context] in GraphCall(arguments: $0, context: context) }
        let members: [String: GraphNode] =
            operation.kind == .query
            ? queries.mapValues { resolve in .computed { resolve(call($0)) } }
            : mutations.mapValues { mutate in
                .computed { arguments in .payload { try mutate(call(arguments)) } }
            }
        let unserved = GraphNode.failure(
            message: "The sandbox does not implement this field.",
            code: "INTERNAL_SERVER_ERROR"
        )
        let data = run.complete(rootType, members, operation.selections, [], orElse: unserved)
        var response: JSONObject = ["data": data ?? .null]
        if !run.errors.isEmpty { response["errors"] = .array(run.errors.map(\.json)) }
        return response
    }
}
