public import IdentityKit
internal import Synchronization

/// Plants marked secrets and looks for the marks where no secret may be: in prints, dumps, mirrors, errors, files, output.
public final class SecretCanary: Sendable {
    private let marks = Mutex<[String]>([])

    /// A canary without secrets.
    public init() {}

    /// A new marked text for use as a secret, unlike any other.
    public func plant(_ label: String) -> String {
        marks.withLock { marks in
            let mark = "canary-\(label)-\(marks.count)-9f2c61d7e4"
            marks.append(mark)
            return mark
        }
    }

    /// Lets the canary look for a secret that somebody else made.
    public func watch(_ secret: Secret) {
        marks.withLock { $0.append(secret.reveal()) }
    }

    /// The marks that show when a value is interpolated, dumped, mirrored or described for debugging.
    public func findings(in value: Any) -> [String] {
        // A list of bytes is any value too, and the compiler may choose this overload for it: a dump of numbers shows no mark.
        if let bytes = value as? [UInt8] { return search(bytes) }
        var text = "\(value)\n" + String(reflecting: value) + "\n"
        dump(value, to: &text)
        return findings(inText: text)
    }

    /// The marks that stand in a text.
    public func findings(inText text: String) -> [String] {
        search(Array(text.utf8))
    }

    /// The marks that stand in bytes, for example of a file.
    public func findings(in bytes: [UInt8]) -> [String] {
        search(bytes)
    }

    /// Has a name of its own: called as `findings(in:)` the compiler may take bytes for any value, and never come back.
    private func search(_ bytes: [UInt8]) -> [String] {
        let haystack = bytes[...]
        return marks.withLock { $0 }.filter { mark in
            let needle = Array(mark.utf8)
            guard let first = needle.first, needle.count <= haystack.count else { return false }
            var start = haystack.startIndex
            while let hit = haystack[start...].firstIndex(of: first) {
                if haystack[hit...].starts(with: needle) { return true }
                start = hit + 1
            }
            return false
        }
    }
}
