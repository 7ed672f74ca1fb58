internal import IdentityCrypto
internal import IdentityKit

/// The constant part of an operation: its text, and how a client handles it.
public struct GraphQLDocument: Sendable, Hashable {
    /// The kind of an operation.
    public enum Kind: Sendable, Hashable {
        /// The operation reads data.
        case query
        /// The operation changes data.
        case mutation
    }

    /// Whether an operation may be repeated after an unknown outcome, for example a timeout, a lost connection or HTTP 5xx.
    public enum Repetition: Sendable, Hashable {
        /// The operation may be repeated any number of times, because it only reads, or sets a value that a repetition sets again.
        case always
        /// The operation may be repeated once. At worst an unused object remains, such as a second empty cart.
        case once
        /// The operation adds data, so the client does not repeat it after an unknown outcome.
        ///
        /// The app must first read which data were added; `CartAdapter` does this for the lines of a cart.
        case afterReading
        /// The operation must not be repeated after an unknown outcome.
        case never
    }

    /// The operation's name in the document.
    public let name: String
    /// Whether the operation reads or changes data.
    public let kind: Kind
    /// The document's text.
    public let text: String
    /// The SHA-256 of the text in lower-case hexadecimal digits, which identifies the operation in caches and metrics.
    public let identifier: String
    /// The beginning of a request's body: `{"query":"…"`, without the closing brace.
    let bodyStart: [UInt8]
    /// The variables that the document takes from the call's context, such as `country` and `language`.
    public let contextVariables: [String]
    /// Whether the operation may be repeated after an unknown outcome.
    public let repetition: Repetition
    /// Whether responses belong to one buyer, so that they are never cached; always true for mutations.
    public let isPersonal: Bool

    /// Creates a document.
    ///
    /// - Parameters:
    ///   - name: The operation's name.
    ///   - kind: Whether the operation reads or changes data.
    ///   - text: The text, with exactly one operation.
    ///   - fragments: The fragments that the operation needs and `text` does not define. Their texts become part of ``text``.
    ///   - contextVariables: The variables that come from the call's context.
    ///   - repetition: Whether the operation may be repeated after an unknown outcome; nil: `always` for a query, `never` for a mutation.
    ///   - isPersonal: Whether responses belong to one buyer. True by default, so that a cache never shares them by mistake.
    public init(
        name: String,
        kind: Kind,
        text: String,
        fragments: [GraphQLFragment] = [],
        contextVariables: [String] = [],
        repetition: Repetition? = nil,
        isPersonal: Bool = true
    ) {
        self.name = name
        self.kind = kind
        let text = ([text] + fragments.map(\.text)).joined(separator: "\n")
        self.text = text
        let digest = try? Digest.sha256(Array(text.utf8))
        identifier = digest.map(Hexadecimal.encode) ?? text
        bodyStart = JSONValue.object(["query": .string(text)]).serialized.dropLast()
        self.contextVariables = contextVariables
        self.repetition = repetition ?? (kind == .query ? .always : .never)
        self.isPersonal = isPersonal || kind == .mutation
    }
}
