public import Foundation
internal import Glibc

/// A directory for one test, in the temporary directory of the run.
///
/// Every test that writes files uses one and removes it. `Tests/run` fails if a test leaves files in the temporary directory.
///
/// ```swift
/// let directory = try TemporaryDirectory("keys")
/// defer { directory.remove() }
/// let path = try directory.write("00ff", to: "key", mode: 0o600)
/// ```
///
/// A fixture can keep the directory in a property instead: the directory is removed when it is deallocated.
public final class TemporaryDirectory: Sendable {
    /// The directory.
    public let url: URL

    /// The directory's path.
    public var path: String { url.path }

    /// Creates a directory that only its owner may use (mode 0700).
    ///
    /// - Parameters:
    ///   - purpose: The first part of its name, which shows the test of a directory that was not removed.
    ///   - inMemory: Whether the files are in memory, if the machine has such a directory, so that no test waits for a disk.
    /// - Throws: An error when the directory cannot be created.
    public init(_ purpose: String, inMemory: Bool = false) throws {
        // A short name, because the path of a socket in the directory, such as a browser's, has at most 107 bytes.
        let name = "\(purpose)-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let memory = URL(filePath: "/dev/shm")
        let parent =
            inMemory && FileManager.default.isWritableFile(atPath: memory.path)
            ? memory : FileManager.default.temporaryDirectory
        url = parent.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit {
        remove()
    }

    /// Removes the directory, also if a test has removed its permissions; a second call has no effect.
    public func remove() {
        _ = unsafe chmod(path, 0o700)
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of a file in the directory.
    public func path(of file: String) -> String {
        url.appendingPathComponent(file).path
    }

    /// Writes a file and returns its path.
    @discardableResult
    public func write(_ text: String, to file: String, mode: Int = 0o600) throws -> String {
        let path = path(of: file)
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }
}
