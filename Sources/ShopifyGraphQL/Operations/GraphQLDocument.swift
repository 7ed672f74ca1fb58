internal import IdentityCrypto

/// The constant part of an operation, and what a client has to know of it.
public struct GraphQLDocument: Sendable, Hashable {
    /// What the operation does.
    public enum Kind: Sendable, Hashable {
        /// It reads.
        case query
        /// It changes something.
        case mutation
    }

    /// What may be done when nobody knows whether a mutation was carried out: a time-out, a lost connection, a 5xx.
    public enum Repetition: Sendable, Hashable {
        /// It may be sent again as often as needed: it reads, or sets a state.
        case always
        /// It may be sent again once: at worst something is left over that nobody uses, such as a second empty cart.
        case once
        /// It adds: read and compare before it is sent again. The client leaves that to its caller; a cart adapter does it.
        case afterReading
        /// It is never sent again.
        case never
    }

    /// The operation's name in the document.
    public let name: String
    /// Whether it reads or changes.
    public let kind: Kind
    /// The document's text.
    public let text: String
    /// The SHA-256 of the text in lower-case hexadecimal digits: names the operation in caches and metrics.
    public let identifier: String
    /// The variables that the document takes from the call's context, such as `country` and `language`.
    public let contextVariables: [String]
    /// Whether it may be repeated after an unknown outcome.
    public let repetition: Repetition
    /// Whether answers belong to one buyer, so that no cache keeps them; always so for mutations.
    public let isPersonal: Bool

    /// Describes a document.
    ///
    /// - Parameters:
    ///   - name: The operation's name.
    ///   - kind: Whether it reads or changes.
    ///   - text: The text, with exactly one operation.
    ///   - fragments: The fragments that the operation needs and `text` does not define. Their texts become part of ``text``.
    ///   - contextVariables: The variables that come from the call's context; none unless given.
    ///   - repetition: Unless given, a query may always be repeated and a mutation never.
    ///   - isPersonal: Whether answers belong to one buyer; yes unless given, so that a cache never shares by mistake.
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
        // Without a digest, which nothing but exhausted memory prevents, the text names itself.
        let digest = try? Digest.sha256(Array(text.utf8))
        identifier = digest.map(Self.hexadecimal) ?? text
        self.contextVariables = contextVariables
        self.repetition = repetition ?? (kind == .query ? .always : .never)
        self.isPersonal = isPersonal || kind == .mutation
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
