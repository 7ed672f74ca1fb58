public import IdentityKit
public import ShopifyGraphQL

/// A search in Shopify's search syntax, put together from parts; no text of a buyer can change what it asks.
///
/// ```swift
/// let query = SearchQuery.text(typed) && .field(.vendor, "Ren & Co") && !.field(.tag, "hidden")
/// ```
///
/// Words of letters and digits are searched for as they are, and Shopify finds similar ones, too. Everything else goes between quotation
/// marks, where nothing has a meaning: operators, colons, brackets, and the words `AND`, `OR` and `NOT`.
public struct SearchQuery: Sendable, Hashable {
    /// How a field is compared.
    public enum Comparison: String, Sendable, Hashable {
        /// The field is less than the value.
        case less = "<"
        /// The field is greater than the value.
        case greater = ">"
        /// The field is not greater than the value.
        case lessOrEqual = "<="
        /// The field is not less than the value.
        case greaterOrEqual = ">="
    }

    indirect enum Node: Sendable, Hashable {
        /// A part that stands for itself.
        case part(String)
        case not(String)
        case all([Node])
        case any([Node])
    }

    let node: Node

    init(node: Node) {
        self.node = node
    }

    /// Takes text that is in search syntax already: nothing is escaped, so it must not come from a buyer.
    public init(syntax: String) {
        node = .part(syntax)
    }

    /// The query in search syntax; empty for one that asks for everything.
    public var text: String {
        Self.text(of: node, isInner: false)
    }

    private static func text(of node: Node, isInner: Bool) -> String {
        switch node {
        case .part(let part): return part
        case .not(let part): return "-\(part)"
        case .all(let nodes): return joined(nodes, " AND ", isInner)
        case .any(let nodes): return joined(nodes, " OR ", isInner)
        }
    }

    private static func joined(_ nodes: [Node], _ word: String, _ isInner: Bool) -> String {
        let parts = nodes.map { text(of: $0, isInner: nodes.count > 1) }.filter { !$0.isEmpty }
        let whole = parts.joined(separator: word)
        return isInner && parts.count > 1 ? "(\(whole))" : whole
    }
}

extension SearchQuery {
    /// What a buyer typed: every word of it is to be found, similar ones count.
    public static func text(_ typed: String) -> SearchQuery {
        SearchQuery(node: .all(words(typed).map { .part(word($0)) }))
    }

    /// Words that begin as what a buyer has typed so far: the last word may go on.
    public static func prefix(_ typed: String) -> SearchQuery {
        let typedWords = words(typed)
        var parts = typedWords.map { word($0) }
        if let last = typedWords.last, isPlain(last) { parts[parts.count - 1] = "\(last)*" }
        return SearchQuery(node: .all(parts.map { .part($0) }))
    }

    /// Exactly these words in this order.
    public static func phrase(_ text: String) -> SearchQuery {
        SearchQuery(node: .part(quoted(text)))
    }

    /// A field that has exactly a value.
    public static func field(_ field: SearchField, _ value: String) -> SearchQuery {
        SearchQuery(node: .part("\(field.rawValue):\(word(value))"))
    }

    /// A field that compares so with a value, such as a price or a date.
    public static func field(_ field: SearchField, _ comparison: Comparison, _ value: String) -> SearchQuery {
        SearchQuery(node: .part("\(field.rawValue):\(comparison.rawValue)\(word(value))"))
    }

    /// A field that has a value, whatever it is.
    public static func hasValue(_ field: SearchField) -> SearchQuery {
        SearchQuery(node: .part("\(field.rawValue):*"))
    }

    /// A field that has no value.
    public static func isEmpty(_ field: SearchField) -> SearchQuery {
        SearchQuery(node: .not("\(field.rawValue):*"))
    }

    /// Everything that all of the queries find; with none of them, everything.
    public static func all(_ queries: [SearchQuery]) -> SearchQuery {
        SearchQuery(node: .all(queries.map(\.node)))
    }

    /// Everything that one of the queries finds; with none of them, everything.
    public static func any(_ queries: [SearchQuery]) -> SearchQuery {
        SearchQuery(node: .any(queries.map(\.node)))
    }

    /// What both find.
    public static func && (left: SearchQuery, right: SearchQuery) -> SearchQuery { all([left, right]) }

    /// What one of both finds.
    public static func || (left: SearchQuery, right: SearchQuery) -> SearchQuery { any([left, right]) }

    /// What a query does not find.
    public static prefix func ! (query: SearchQuery) -> SearchQuery {
        SearchQuery(node: negated(query.node))
    }

    /// Only single parts are negated: what is negated as a whole becomes the opposite of its parts.
    private static func negated(_ node: Node) -> Node {
        switch node {
        case .part(let part): part.isEmpty ? node : .not(part)
        case .not(let part): .part(part)
        case .all(let nodes): .any(nodes.map(negated))
        case .any(let nodes): .all(nodes.map(negated))
        }
    }

    // MARK: Escaping

    private static func words(_ text: String) -> [Substring] {
        text.split { $0.isWhitespace || $0.isNewline || $0.unicodeScalars.allSatisfy { $0.value < 0x20 } }
    }

    private static func word(_ text: some StringProtocol) -> String {
        isPlain(text) ? String(text) : quoted(text)
    }

    private static func isPlain(_ text: some StringProtocol) -> Bool {
        let isWord =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || $0.properties.numericType != nil }
        return isWord && !["AND", "OR", "NOT"].contains(text.uppercased())
    }

    private static func quoted(_ text: some StringProtocol) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                result += "\\"
                result.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension SearchQuery: GraphQLWritable, CustomStringConvertible {
    /// The query in search syntax.
    public var graphQLValue: JSONValue { .string(text) }
    /// The query in search syntax.
    public var description: String { text }
}
