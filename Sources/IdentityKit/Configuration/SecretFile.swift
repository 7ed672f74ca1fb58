internal import FoundationEssentials

/// A secret in a file of its own that nobody else can read.
enum SecretFile {
    struct Problem: Error {
        let reason: String
        let hint: String
    }

    static func read(_ path: String) throws(Problem) -> Secret {
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: path)
        } catch {
            throw Problem(reason: "it cannot be found", hint: "Check the path and the rights of its folder.")
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            throw Problem(reason: "it is no regular file", hint: "Links and devices are refused.")
        }
        guard let mode = attributes[.posixPermissions] as? any BinaryInteger,
            Int(truncatingIfNeeded: mode) & 0o077 == 0
        else {
            throw Problem(reason: "others than its owner may use it", hint: "Run chmod 600 on it.")
        }
        guard let contents = FileManager.default.contents(atPath: path), contents.count <= 65_536 else {
            throw Problem(reason: "it cannot be read or is larger than 64 KiB", hint: "A secret file holds one line.")
        }
        var bytes = Array(contents)
        while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
        guard !bytes.isEmpty else {
            throw Problem(reason: "it is empty", hint: "A secret file holds one line.")
        }
        return Secret(bytes: bytes)
    }
}
