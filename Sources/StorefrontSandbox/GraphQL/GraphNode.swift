internal import GraphQLLanguage
internal import IdentityKit

/// The result of a resolver: a whole value, of which the executor returns the selected fields.
indirect enum GraphNode: Sendable {
    case null
    case leaf(JSONValue)
    case list([GraphNode])
    case object(String, [String: GraphNode])
    /// Depends on the field's arguments.
    case computed(@Sendable (JSONObject) -> GraphNode)
    /// The field is null and the reason goes to `errors`.
    case failure(message: String, code: String)

    static func text(_ text: String?) -> GraphNode {
        text.map { .leaf(.string($0)) } ?? .null
    }

    static func flag(_ flag: Bool) -> GraphNode {
        .leaf(.bool(flag))
    }

    static func integer(_ value: Int) -> GraphNode {
        .leaf(.integer(value))
    }

    /// A Relay connection over nodes; cursors are positions.
    static func connection(_ type: String, _ edgeType: String, _ nodes: [GraphNode]) -> GraphNode {
        .computed { arguments in
            let after = arguments["after"]?.string.flatMap(Int.init) ?? 0
            let before = arguments["before"]?.string.flatMap(Int.init).map { $0 - 1 } ?? nodes.count
            var range = min(max(after, 0), nodes.count)..<max(min(before, nodes.count), min(max(after, 0), nodes.count))
            if let first = arguments["first"]?.number?.integer, first >= 0 {
                range = range.lowerBound..<min(range.upperBound, range.lowerBound + min(first, 250))
            } else if let last = arguments["last"]?.number?.integer, last >= 0 {
                range = max(range.lowerBound, range.upperBound - min(last, 250))..<range.upperBound
            }
            let edges = range.map { index in
                GraphNode.object(edgeType, ["cursor": .text(String(index + 1)), "node": nodes[index]])
            }
            let page: [String: GraphNode] = [
                "hasNextPage": .flag(range.upperBound < nodes.count),
                "hasPreviousPage": .flag(range.lowerBound > 0),
                "startCursor": range.isEmpty ? .null : .text(String(range.lowerBound + 1)),
                "endCursor": range.isEmpty ? .null : .text(String(range.upperBound)),
            ]
            return .object(
                type,
                [
                    "nodes": .list(Array(nodes[range])), "edges": .list(edges), "pageInfo": .object("PageInfo", page),
                ]
            )
        }
    }
}
