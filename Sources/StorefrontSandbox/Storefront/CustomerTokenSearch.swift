internal import GraphQLLanguage
internal import IdentityKit

extension JSONValue {
    /// Whether a request body passes a string as `customerAccessToken`, in its variables or in its document.
    var carriesCustomerToken: Bool {
        let variables = self["variables"]?.object ?? [:]
        if CustomerTokenSearch.isFound(in: .object(variables)) { return true }
        guard let text = self["query"]?.string, let document = try? GraphParser.document(text) else { return false }
        return CustomerTokenSearch(variables: variables).isFound(in: document)
    }
}

private struct CustomerTokenSearch {
    private static let name = "customerAccessToken"

    let variables: JSONObject

    static func isFound(in value: JSONValue) -> Bool {
        (value.object?.members ?? []).contains { $0.name == name && $0.value.string != nil || isFound(in: $0.value) }
    }

    func isFound(in document: GraphDocument) -> Bool {
        document.operations.contains { operation in
            operation.variables.contains { isToken($0.name, $0.defaultValue ?? .null) }
                || isFound(in: operation.directives) || operation.selections.contains(where: isFound)
        } || document.fragments.contains { $0.selections.contains(where: isFound) }
    }

    private func isFound(in selection: GraphSelection) -> Bool {
        switch selection {
        case .field(let field):
            field.arguments.contains { isToken($0.name, $0.value) } || field.selections.contains(where: isFound)
        case .inline(_, _, let selections, _): selections.contains(where: isFound)
        case .spread: false
        }
    }

    private func isFound(in directives: [GraphDirective]) -> Bool {
        directives.contains { $0.arguments.contains { isToken($0.name, $0.value) } }
    }

    private func isToken(_ name: String, _ value: GraphLiteral) -> Bool {
        switch value {
        case .string: name == Self.name
        case .variable(let variable): name == Self.name && variables[variable]?.string != nil
        case .object(let members): members.contains { isToken($0.name, $0.value) }
        case .list(let elements): elements.contains { isToken(name, $0) }
        case .number, .bool, .null, .enumeration: false
        }
    }
}
