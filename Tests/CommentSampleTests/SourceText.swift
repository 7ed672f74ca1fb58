import Foundation
import TestGuides

/// A text of the package: a Swift file or a page.
struct SourceText {
    /// The path from the root of the package.
    let path: String
    /// The lines without leading and trailing white space.
    let lines: [String]
    /// The lines with a newline before and after each, so that a sample matches only whole lines.
    let text: String
    /// Each line once, so that a file without the lines of a sample is ruled out quickly.
    let distinctLines: Set<String>

    init(_ path: String) throws {
        let text = try Repository.text(path)
        self.path = path
        self.lines = text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        self.text = Self.text(lines)
        self.distinctLines = Set(lines)
    }

    /// The texts below a folder, without those of build directories.
    static func files(in folder: String, ending suffix: String) throws -> [SourceText] {
        try FileManager.default.subpathsOfDirectory(atPath: Repository.root.appending(path: folder).path)
            .filter { $0.hasSuffix(suffix) && !$0.contains(".build/") }.sorted().map { try Self("\(folder)/\($0)") }
    }

    static func text(_ lines: some Sequence<String>) -> String { "\n" + lines.joined(separator: "\n") + "\n" }
}
