package import IdentityKit

/// The members of a GraphQL response (specification section 7.1): data, errors and cost.
package struct GraphQLResponseBody: Sendable {
    package let data: GraphQLNode?
    /// Whether the response has a member `data`, even if its value is null.
    ///
    /// If the member is missing, the server did not begin to execute the operation (specification section 7.1).
    package let hasData: Bool
    /// The member `errors`; if it is a list, its first 100 elements.
    package let errors: JSONValue?
    package let cost: JSONValue?

    // Without these limits, a response with many or large errors would need many times its size in memory.

    private static let maximumErrors = 100
    /// The maximum number of values and names in one error, or in the cost.
    private static let maximumParts = 2_000

    /// Parses the body of a response; throws if the body is not a JSON object within the default `GraphQLLimits`.
    package init(parsing bytes: [UInt8]) throws(JSONError) {
        let tape = try GraphQLLimits().tape(bytes) { tape in
            tape.entries[0].kind == .object ? tape.member("data", of: 0) ?? 0 : 0
        }
        guard tape.entries[0].kind == .object else {
            throw JSONError(reason: "the response is not a JSON object", offset: 0)
        }
        let node = tape.root > 0 ? GraphQLNode(tape, tape.root) : nil
        hasData = node != nil
        data = node.flatMap { $0.isNull ? nil : $0 }
        errors = tape.member("errors", of: 0).map { Self.errors(at: $0, of: tape) }
        cost = tape.member("extensions", of: 0)
            .flatMap { tape.entries[$0].kind == .object ? tape.member("cost", of: $0) : nil }
            .flatMap { tape.size($0) <= Self.maximumParts ? tape.json($0) : nil }
    }

    private static func errors(at index: Int, of tape: JSONTape) -> JSONValue {
        guard tape.entries[index].kind == .list else { return part(index, of: tape) }
        var errors: [JSONValue] = []
        var place = index + 1
        while place < tape.entries[index].place, errors.count < maximumErrors {
            errors.append(part(place, of: tape))
            place = tape.next(place)
        }
        return .array(errors)
    }

    private static func part(_ index: Int, of tape: JSONTape) -> JSONValue {
        tape.size(index) <= maximumParts ? tape.json(index) : .string("an error too large to be read")
    }
}
