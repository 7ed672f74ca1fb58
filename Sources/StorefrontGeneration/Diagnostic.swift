package import GraphQLLanguage
internal import IdentityKit

/// An error or a warning about a document.
package struct Diagnostic: Sendable, CustomStringConvertible {
    package enum Severity: String, Sendable {
        case error
        case warning
    }

    package let severity: Severity
    /// The file's path from the folder of documents.
    package let file: String
    package let location: GraphLocation?
    package let message: String

    /// The form that editors and build tools recognize.
    package var description: String {
        "\(file)\(location.map { ":\($0.line):\($0.column)" } ?? ""): \(severity.rawValue): \(message)"
    }
}

/// The reason why nothing was generated.
package struct GenerationFailure: Error, Sendable {
    package enum Kind: Sendable {
        /// The documents do not match the schema, or the output is not up to date.
        case refused
        /// The call, the configuration or a file is wrong.
        case usage
    }

    package let kind: Kind
    package let messages: [String]

    static func usage(_ message: String) -> GenerationFailure {
        GenerationFailure(kind: .usage, messages: [message])
    }
}

/// Finds a similar name.
enum Suggestion {
    /// ` Did you mean …?`, or an empty text.
    static func text(for name: String, among candidates: some Sequence<String>) -> String {
        let similar = candidates.prefix(2_000).filter { abs($0.utf8.count - name.utf8.count) <= 3 }
        return Spelling.nearest(to: name, among: similar).map { " Did you mean \"\($0)\"?" } ?? ""
    }
}
