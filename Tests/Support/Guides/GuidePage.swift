internal import Foundation

/// A page of the documentation.
public struct GuidePage: Sendable {
    /// Its text.
    public let text: String

    /// Reads a page.
    ///
    /// - Parameter path: The path from the root of the repository, such as `Documentation/Operating/SQLite.md`.
    /// - Throws: When the page cannot be read.
    public init(_ path: String) throws {
        text = try Repository.text(path)
    }

    /// The code blocks of a language, in the order of the page.
    public func blocks(_ language: String) -> [String] {
        text.components(separatedBy: "```\(language)\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    }
}
