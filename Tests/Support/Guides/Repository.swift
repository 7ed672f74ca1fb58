public import Foundation

/// The files of this repository.
public enum Repository {
    /// The root folder.
    public static let root = (1...4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    /// The text of a file at a path from the root, such as `Documentation/Operating/SQLite.md`.
    public static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
