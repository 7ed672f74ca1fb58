internal import GraphQLLanguage
internal import IdentityKit

/// The result of a resolver: a value with all its members; the response contains only the selected members.
indirect enum GraphNode: Sendable, ExpressibleByDictionaryLiteral {
    case null
    case leaf(JSONValue)
    case list([GraphNode])
    /// An object with its members; `__typename` is required only if the type of the field is an interface or a union.
    case object([String: GraphNode])
    case computed(@Sendable (JSONObject) -> GraphNode)
    /// A null value with an entry in `errors`.
    case failure(message: String, code: String)

    init(dictionaryLiteral members: (String, GraphNode)...) {
        self = .object(Dictionary(members) { $1 })
    }

    static func members(_ object: JSONObject) -> [String: GraphNode] {
        Dictionary(object.members.map { ($0.name, .leaf($0.value)) }) { $1 }
    }

    static func text(_ text: String?) -> GraphNode {
        text.map { .leaf(.string($0)) } ?? .null
    }

    static func accessDenied(to field: String, scope: String) -> GraphNode {
        .failure(
            message: "Access denied for \(field) field. Required access: `\(scope)` access scope.",
            code: "ACCESS_DENIED"
        )
    }

    static func flag(_ flag: Bool) -> GraphNode {
        .leaf(.bool(flag))
    }

    static func integer(_ value: Int) -> GraphNode {
        .leaf(.integer(value))
    }

    /// Creates a Relay connection over nodes; the cursor of a node is its position, and the first position is 1.
    ///
    /// As at Shopify, a document must pass either `first` or `last`, from 0 to 250. Otherwise the response has an error with the code
    /// `BAD_REQUEST`. `members` are further fields of the connection.
    static func connection(_ nodes: [GraphNode], with members: [String: GraphNode] = [:]) -> GraphNode {
        .computed { arguments in
            if let problem = sizeProblem(arguments) { return .failure(message: problem, code: "BAD_REQUEST") }
            let after = arguments["after"]?.string.flatMap(Int.init) ?? 0
            let before = arguments["before"]?.string.flatMap(Int.init).map { max($0, 1) - 1 } ?? nodes.count
            var range = min(max(after, 0), nodes.count)..<max(min(before, nodes.count), min(max(after, 0), nodes.count))
            if let first = arguments["first"]?.number?.integer {
                range = range.lowerBound..<min(range.upperBound, range.lowerBound + first)
            } else if let last = arguments["last"]?.number?.integer {
                range = max(range.lowerBound, range.upperBound - last)..<range.upperBound
            }
            let edges = range.map { index -> GraphNode in
                ["cursor": .text(String(index + 1)), "node": nodes[index]]
            }
            let page: GraphNode = [
                "hasNextPage": .flag(range.upperBound < nodes.count),
                "hasPreviousPage": .flag(range.lowerBound > 0),
                "startCursor": range.isEmpty ? .null : .text(String(range.lowerBound + 1)),
                "endCursor": range.isEmpty ? .null : .text(String(range.upperBound)),
            ]
            let connection = ["nodes": .list(Array(nodes[range])), "edges": .list(edges), "pageInfo": page]
            return .object(connection.merging(members) { $1 })
        }
    }

    private static func sizeProblem(_ arguments: JSONObject) -> String? {
        let sizes = ["first", "last"].compactMap { name in
            arguments[name]?.number?.integer.map { (name: name, size: $0) }
        }
        guard sizes.count < 2 else { return "providing values for both `first` and `last` is not supported" }
        guard let (name, size) = sizes.first else { return "you must provide one of first or last" }
        guard size >= 0 else { return "\(name) must be a positive number" }
        return size > 250 ? "\(name) cannot exceed 250" : nil
    }
}
