package import GraphQLLanguage

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
        let wanted = Array(name.utf8)
        guard wanted.count <= 80 else { return "" }
        var best: (distance: Int, name: String)?
        for candidate in candidates.prefix(2_000) {
            let text = Array(candidate.utf8)
            guard abs(text.count - wanted.count) <= 6, text.count <= 80 else { continue }
            let distance = distance(wanted, text)
            if distance < best?.distance ?? (max(2, wanted.count / 3) + 1) { best = (distance, candidate) }
        }
        return best.map { " Did you mean \"\($0.name)\"?" } ?? ""
    }

    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let cost = (a | 0x20) == (b | 0x20) ? diagonal : diagonal + 1
                diagonal = row[j + 1]
                row[j + 1] = min(cost, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[right.count]
    }
}
