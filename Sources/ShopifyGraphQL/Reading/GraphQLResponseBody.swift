package import IdentityKit

/// A GraphQL answer (specification section 7.1), read once: its data as a place to read from, everything else as values.
package struct GraphQLResponseBody: Sendable {
    /// Where the data begin; nil when they are missing or null.
    package let data: GraphQLNode?
    /// The member `errors`, whatever it is; `GraphQLError.entries(of:hiding:)` reads it.
    package let errors: JSONValue?
    /// The member `extensions`, whatever it is.
    package let extensions: JSONValue?

    /// Reads an answer's body.
    ///
    /// - Throws: `JSONError` where it is no object in well-formed JSON within the limits.
    package init(parsing bytes: [UInt8], limits: GraphQLLimits = GraphQLLimits()) throws(JSONError) {
        let tape = try TapeBuilder.tape(bytes, limits) { tape in
            tape.entries[0].kind == .object ? tape.member("data", of: 0) ?? 0 : 0
        }
        guard tape.entries[0].kind == .object else { throw JSONError(reason: "the answer is no object", offset: 0) }
        let node = tape.root > 0 ? GraphQLNode(tape, tape.root) : nil
        data = node.flatMap { $0.isNull ? nil : $0 }
        errors = tape.member("errors", of: 0).map { tape.json($0) }
        extensions = tape.member("extensions", of: 0).map { tape.json($0) }
    }
}
