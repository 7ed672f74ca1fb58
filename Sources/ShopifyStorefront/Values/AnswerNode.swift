internal import IdentityKit
internal import ShopifyGraphQL

/// A place in an answer's data that knows its path.
struct AnswerNode {
    let value: JSONValue?
    private let path: String

    init(_ data: GraphQLNode) {
        value = data.isNull ? nil : data.json()
        path = data.error("").path
    }

    private init(_ value: JSONValue?, _ path: String) {
        self.value = value
        self.path = path
    }

    subscript(name: String) -> AnswerNode {
        AnswerNode(value?[name], "\(path).\(name)")
    }

    /// The node, or nil where there is null or nothing.
    var optional: AnswerNode? {
        guard let value, !value.isNull else { return nil }
        return self
    }

    func text() throws(GraphQLReadingError) -> String {
        guard let text = value?.string else { throw error("a text") }
        return text
    }

    func optionalText() throws(GraphQLReadingError) -> String? {
        guard let optional else { return nil }
        return try optional.text()
    }

    func integer() throws(GraphQLReadingError) -> Int {
        guard let integer = value?.number?.integer else { throw error("an integer") }
        return integer
    }

    func flag() throws(GraphQLReadingError) -> Bool {
        guard let flag = value?.bool else { throw error("true or false") }
        return flag
    }

    func list() throws(GraphQLReadingError) -> [AnswerNode] {
        guard let elements = value?.array else { throw error("a list") }
        return elements.enumerated().map { AnswerNode($1, "\(path)[\($0)]") }
    }

    func object() throws(GraphQLReadingError) -> AnswerNode {
        guard value?.object != nil else { throw error("an object") }
        return self
    }

    func error(_ expected: String) -> GraphQLReadingError {
        GraphQLReadingError(path: path, expected: expected)
    }
}
