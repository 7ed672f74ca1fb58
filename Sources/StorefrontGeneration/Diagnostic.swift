package import GraphQLLanguage
internal import IdentityKit

package struct Diagnostic: Error, CustomStringConvertible {
    package enum Severity: String, Sendable {
        case error
        case warning
    }

    package let severity: Severity
    /// The file's path, relative to the folder of documents.
    package let file: String
    package let location: GraphLocation?
    package let message: String

    /// The diagnostic in the form that editors and build tools recognize.
    package var description: String {
        "\(file)\(location.map { ":\($0.line):\($0.column)" } ?? ""): \(severity.rawValue): \(message)"
    }
}

package struct GenerationFailure: Error, Sendable {
    package enum Kind: Sendable {
        /// The generator would overwrite a file in the output folder that it did not generate.
        case refused
        /// The command line, the configuration, the schema or another file is wrong, or a file could not be read or written.
        case usage
    }

    package let kind: Kind
    package let message: String

    static func usage(_ message: String) -> GenerationFailure {
        GenerationFailure(kind: .usage, message: message)
    }
}

enum Suggestion {
    /// The hint ` Did you mean "…"?` with the most similar candidate; empty if no candidate is similar.
    static func text(for name: String, among candidates: some Sequence<String>) -> String {
        let similar = candidates.prefix(2_000).filter { abs($0.utf8.count - name.utf8.count) <= 3 }
        // `Spelling` compares at most 40 bytes, so a longer name is compared in two steps. The first step compares the last 40 bytes of the
        // name, among candidates with the same beginning. If no candidate is similar, the second step compares the first 40 bytes, among
        // candidates with the same end.
        let rest = max(0, name.utf8.count - 40)
        let (start, end) = (String(name.prefix(rest)), String(name.suffix(rest)))
        let ends = similar.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(rest)) }
        let starts = similar.filter { $0.hasSuffix(end) }.map { String($0.dropLast(rest)) }
        let found =
            Spelling.nearest(to: String(name.dropFirst(rest)), among: ends).map { start + $0 }
            ?? Spelling.nearest(to: String(name.dropLast(rest)), among: starts).map { $0 + end }
        return found.map { " Did you mean \"\($0)\"?" } ?? ""
    }
}
