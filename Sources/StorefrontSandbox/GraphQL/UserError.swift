/// An entry of `userErrors`: why a mutation was refused.
struct UserError: Error, Sendable {
    let code: String
    /// The path to the refused argument.
    let field: [String]
    let message: String

    init(_ code: String, at field: [String], _ message: String? = nil) {
        self.code = code
        self.field = field
        self.message = message ?? "Refused by the sandbox: \(code)"
    }

    static let cartMissing = UserError("INVALID", at: ["cartId"], "The specified cart does not exist.")
}

extension GraphNode {
    /// Creates the payload of a mutation: the members that `body` returns, or the ``UserError`` that it throws.
    ///
    /// The result has `userErrors`, `customerUserErrors` and `warnings`; the schema's payload type has only some of these fields.
    static func payload(_ body: () throws -> [String: GraphNode]) -> GraphNode {
        var (members, errors): ([String: GraphNode], [GraphNode]) = ([:], [])
        do {
            members = try body()
        } catch let error as UserError {
            errors = [userError(error)]
        } catch {
            return .failure(message: "\(error)", code: "INTERNAL_SERVER_ERROR")
        }
        let lists = ["userErrors": list(errors), "customerUserErrors": list(errors), "warnings": list([])]
        return .object(lists.merging(members) { $1 })
    }

    static func userError(_ error: UserError) -> GraphNode {
        ["code": text(error.code), "field": list(error.field.map { text($0) }), "message": text(error.message)]
    }
}
