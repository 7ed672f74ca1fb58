public import IdentityKit
internal import Synchronization

/// Creates secrets for tests, and finds these secrets in printed values, dumps, errors, files and output.
///
/// A secret is found in plain text, in base64 and base64url at any offset, in hexadecimal, escaped for URLs, JSON and HTML, and as a
/// list of decimal numbers, which is the form of dumped bytes. For a secret from ``plant(_:)``, the first or last ten characters in plain
/// text are enough, because even a shortened secret in a log is a leak.
public final class SecretCanary: Sendable {
    private let traces = Mutex(SecretTraces())

    /// Creates a canary without secrets.
    public init() {}

    /// Creates a unique text that contains the label, for use as a secret.
    public func plant(_ label: String) -> String {
        func random() -> String { String(UInt64.random(in: 1 << 36..<1 << 40), radix: 16) }
        let (head, tail) = (random(), random())
        let mark = "\(head)-\(label)-\(tail)"
        traces.withLock { $0.add(Secret(mark), parts: [head, tail]) }
        return mark
    }

    /// Adds a secret from another source; ignores a secret of fewer than eight bytes, because it could match by chance.
    public func watch(_ secret: Secret) {
        traces.withLock { $0.add(secret) }
    }

    /// The number of known secrets.
    public var count: Int { traces.withLock(\.count) }

    /// The secrets that a value shows when it is interpolated, dumped, mirrored or described for debugging.
    public func findings(in value: Any) -> [String] {
        // For bytes in a variable of type `Any`, the compiler chooses this overload. The bytes themselves are searched, because their
        // dump would be a list of numbers.
        if let bytes = value as? [UInt8] { return search(bytes) }
        return findings(inText: Self.printedForms(of: value))
    }

    package static func printedForms(of value: Any) -> String {
        var text = "\(value)\n" + String(reflecting: value) + "\n"
        dump(value, to: &text)
        describe(Mirror(reflecting: value), depth: 0, to: &text)
        return text
    }

    /// The secrets that a text contains.
    public func findings(inText text: String) -> [String] {
        search(Array(text.utf8))
    }

    /// The secrets that bytes contain, for example the bytes of a file.
    public func findings(in bytes: [UInt8]) -> [String] {
        search(bytes)
    }

    // `search` has a separate name: inside the overload for any value, a call of `findings(in:)` could choose the same overload again.
    private func search(_ bytes: [UInt8]) -> [String] {
        traces.withLock { $0.found(in: bytes) }
    }

    /// Appends the `description` of nested children of a mirror; `dump` prints only the `debugDescription` of a child that has both.
    private static func describe(_ mirror: Mirror, depth: Int, to text: inout String) {
        guard depth < 8 else { return }
        for child in mirror.children.prefix(1000) {
            if child.value is any CustomStringConvertible { text += "\(child.value)\n" }
            describe(Mirror(reflecting: child.value), depth: depth + 1, to: &text)
        }
        if let parent = mirror.superclassMirror { describe(parent, depth: depth + 1, to: &text) }
    }
}
