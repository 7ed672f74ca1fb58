public import IdentityKit
public import ShopifyGraphQL

/// A search in Shopify's search syntax, built from parts.
///
/// A buyer's text cannot change the structure of the query. The exception is ``init(syntax:)``, which takes the text as it is.
///
/// ```swift
/// let query = SearchQuery.text(typed) && .field(.vendor, "Ren & Co") && !.field(.tag, "hidden")
/// ```
///
/// Single words of letters and digits are sent unchanged, and Shopify also finds similar words. All other texts, and the words `AND`, `OR`
/// and `NOT`, are quoted. So operators, colons, brackets and these words have no special meaning.
public struct SearchQuery: Sendable, Hashable {
    /// The comparison of a field.
    public enum Comparison: String, Sendable, Hashable {
        /// The field is less than the value.
        case less = "<"
        /// The field is greater than the value.
        case greater = ">"
        /// The field is less than or equal to the value.
        case lessOrEqual = "<="
        /// The field is greater than or equal to the value.
        case greaterOrEqual = ">="
    }

    indirect enum Node: Sendable, Hashable {
        /// A term, with quotation marks if it needs them.
        case part(String)
        /// A text in search syntax, which may have several terms.
        case syntax(String)
        case not(String)
        case all([Node])
        case any([Node])
    }

    let node: Node

    /// The query in search syntax; empty for a query that finds everything.
    public var text: String {
        Self.text(of: node, isInner: false)
    }

    private static func text(of node: Node, isInner: Bool) -> String {
        switch node {
        case .part(let part): return part
        case .syntax(let text): return isInner && !text.isEmpty ? "(\(text))" : text
        case .not(let part): return "-\(part)"
        case .all(let nodes): return joined(nodes, " AND ", isInner)
        case .any(let nodes): return joined(nodes, " OR ", isInner)
        }
    }

    private static func joined(_ nodes: [Node], _ word: String, _ isInner: Bool) -> String {
        let parts = nodes.map { text(of: $0, isInner: isInner || nodes.count > 1) }.filter { !$0.isEmpty }
        let whole = parts.joined(separator: word)
        return isInner && parts.count > 1 ? "(\(whole))" : whole
    }
}

extension SearchQuery {
    /// Creates a query from a text in search syntax; the text is not escaped, so it must not come from a buyer.
    public init(syntax: String) {
        node = .syntax(syntax)
    }

    /// Finds objects that contain all words of a buyer's text, or similar words.
    public static func text(_ typed: String) -> SearchQuery {
        SearchQuery(node: .all(words(typed).map { .part(word($0)) }))
    }

    /// Finds objects that contain all words of a text that the buyer is still typing.
    ///
    /// If the last word has only letters and digits, and is not `AND`, `OR` or `NOT`, longer words that begin with it are found too.
    public static func prefix(_ typed: String) -> SearchQuery {
        let typedWords = words(typed)
        var parts = typedWords.map { word($0) }
        if let last = typedWords.last, isPlain(last) { parts[parts.count - 1] = "\(last)*" }
        return SearchQuery(node: .all(parts.map { .part($0) }))
    }

    /// Finds objects that contain exactly these words in this order.
    public static func phrase(_ text: String) -> SearchQuery {
        SearchQuery(node: .part(quoted(text)))
    }

    /// Finds objects whose field has this value.
    public static func field(_ field: SearchField, _ value: String) -> SearchQuery {
        SearchQuery(node: .part("\(field.rawValue):\(word(value))"))
    }

    /// Finds objects by the comparison of a field with a value, such as a price or a date.
    public static func field(_ field: SearchField, _ comparison: Comparison, _ value: String) -> SearchQuery {
        SearchQuery(node: .part("\(field.rawValue):\(comparison.rawValue)\(word(value))"))
    }

    /// Finds objects whose field has any value.
    public static func hasValue(_ field: SearchField) -> SearchQuery {
        SearchQuery(node: .part("\(field.rawValue):*"))
    }

    /// Finds objects whose field has no value.
    public static func isEmpty(_ field: SearchField) -> SearchQuery {
        SearchQuery(node: .not("\(field.rawValue):*"))
    }

    /// Finds what all queries find; an empty list finds everything.
    public static func all(_ queries: [SearchQuery]) -> SearchQuery {
        SearchQuery(node: .all(queries.map(\.node)))
    }

    /// Finds what any of the queries finds.
    ///
    /// Empty queries are ignored. If no other query remains, the result finds everything.
    public static func any(_ queries: [SearchQuery]) -> SearchQuery {
        SearchQuery(node: .any(queries.map(\.node)))
    }

    /// Finds what both queries find.
    public static func && (left: SearchQuery, right: SearchQuery) -> SearchQuery { all([left, right]) }

    /// Finds what either query finds.
    public static func || (left: SearchQuery, right: SearchQuery) -> SearchQuery { any([left, right]) }

    /// Finds what the query does not find.
    ///
    /// The negation of an empty query is also empty and finds everything, because an empty query has no term to negate.
    public static prefix func ! (query: SearchQuery) -> SearchQuery {
        SearchQuery(node: negated(query.node))
    }

    /// Uses De Morgan's laws, so that `-` is written only before single terms and before bracketed texts in search syntax.
    private static func negated(_ node: Node) -> Node {
        switch node {
        case .part(let part): part.isEmpty ? node : .not(part)
        case .syntax(let text): text.isEmpty ? node : .not("(\(text))")
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
