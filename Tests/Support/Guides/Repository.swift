public import Foundation

/// The files of this repository.
public enum Repository {
    /// The root folder.
    public static let root = (1...4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    /// The text of a file.
    ///
    /// - Parameter path: The path from the root, such as `Documentation/Operating/SQLite.md`.
    /// - Returns: The text.
    /// - Throws: When the file cannot be read.
    public static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
