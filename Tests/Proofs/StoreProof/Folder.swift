internal import Foundation
internal import TestDirectories

/// A temporary directory whose contents can be replaced.
final class Folder: Sendable {
    private let directory: TemporaryDirectory

    var path: String { directory.path }

    init() throws {
        directory = try TemporaryDirectory("store-proof", inMemory: true)
    }

    func empty() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        }
    }

    /// Replaces the contents with a copy of another folder.
    func copy(_ other: Folder) throws {
        try empty()
        for name in try FileManager.default.contentsOfDirectory(atPath: other.path) {
            try FileManager.default.copyItem(atPath: other.path + "/" + name, toPath: path + "/" + name)
        }
    }

    /// Writes a file that only its owner may read and write.
    func write(_ bytes: [UInt8], to name: String) throws {
        let file = path + "/" + name
        let isWritten = FileManager.default.createFile(
            atPath: file,
            contents: Data(bytes),
            attributes: [.posixPermissions: 0o600]
        )
        guard isWritten else { throw Finding("\(file) cannot be written") }
    }

    func makeDirectory(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: path + "/" + name,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }
}

/// A violated rule.
struct Finding: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
