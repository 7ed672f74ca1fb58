internal import GraphQLLanguage
internal import IdentityKit

struct GraphError: Error, Sendable {
    var message: String
    var code: String
    var path: [JSONValue] = []
    var locations: [GraphLocation] = []
    /// The members of `extensions` besides `code`.
    var details: JSONObject = [:]

    var json: JSONValue {
        var object: JSONObject = ["message": .string(message)]
        if !locations.isEmpty {
            object["locations"] = .array(
                locations.map { .object(["line": .integer($0.line), "column": .integer($0.column)]) }
            )
        }
        if !path.isEmpty { object["path"] = .array(path) }
        var extensions: JSONObject = ["code": .string(code)]
        for member in details.members { extensions[member.name] = member.value }
        object["extensions"] = .object(extensions)
        return .object(object)
    }
}
