public import Foundation
internal import Glibc

/// A directory for one test, in the temporary directory of the run; it is removed with everything in it.
///
/// Every test that writes files takes one of these. `Tests/run` fails when a test leaves something in the temporary directory.
///
/// ```swift
/// let directory = try TemporaryDirectory("keys")
/// defer { directory.remove() }
/// let path = try directory.write("00ff", to: "key", mode: 0o600)
/// ```
///
/// A stage that other tests build on keeps the directory in a property instead: the directory goes when the stage does.
public final class TemporaryDirectory: Sendable {
    /// The directory.
    public let url: URL

    /// The directory's path.
    public var path: String { url.path }

    /// Creates a directory that only its owner may use (mode 0700).
    ///
    /// - Parameter purpose: The first part of its name, so that a directory that stays behind can be traced to its test.
    /// - Throws: An error when the directory cannot be created.
    public init(_ purpose: String) throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("\(purpose)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit {
        remove()
    }

    /// Removes the directory, whatever rights a test has taken away from it; a second call has no effect.
    public func remove() {
        _ = unsafe chmod(path, 0o700)
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of a file in the directory.
    public func path(of file: String) -> String {
        url.appendingPathComponent(file).path
    }

    /// Writes a file.
    ///
    /// - Returns: The file's path.
    @discardableResult
    public func write(_ text: String, to file: String, mode: Int = 0o600) throws -> String {
        let path = path(of: file)
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }
}
