internal import Foundation

/// A page of the documentation.
public struct GuidePage: Sendable {
    /// The text of the page.
    public let text: String

    /// Reads a page at a path from the root of the repository, such as `Documentation/Operating/SQLite.md`.
    public init(_ path: String) throws {
        text = try Repository.text(path)
    }

    /// The code blocks of a language, in the order of the page.
    public func blocks(_ language: String) -> [String] {
        text.components(separatedBy: "```\(language)\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    }
}
