public import IdentityKit
internal import Synchronization

/// Plants marked secrets and looks for them where no secret may be: in prints, dumps, mirrors, errors, files, output.
///
/// A secret is found as it is, in base64 and base64url at any offset, in hexadecimal, escaped for URLs, JSON and HTML, and as a
/// list of decimal numbers, which is what a dump of bytes looks like. Of a planted one the first or last ten characters are
/// enough: a log that cuts its secrets short leaks them all the same.
public final class SecretCanary: Sendable {
    private let traces = Mutex(SecretTraces())

    /// A canary without secrets.
    public init() {}

    /// A new marked text for use as a secret, unlike any other.
    public func plant(_ label: String) -> String {
        func random() -> String { String(UInt64.random(in: 1 << 36..<1 << 40), radix: 16) }
        let (head, tail) = (random(), random())
        let mark = "\(head)-\(label)-\(tail)"
        traces.withLock { $0.add(mark, parts: [head, tail]) }
        return mark
    }

    /// Lets the canary look for a secret that somebody else made; one of fewer than eight bytes could stand anywhere by chance and
    /// is passed over.
    public func watch(_ secret: Secret) {
        traces.withLock { $0.add(secret.reveal()) }
    }

    /// How many secrets are looked for.
    public var count: Int { traces.withLock(\.count) }

    /// The secrets that show when a value is interpolated, dumped, mirrored or described for debugging.
    public func findings(in value: Any) -> [String] {
        // A list of bytes is any value too, and the compiler may choose this overload for it: a dump of numbers shows no mark.
        if let bytes = value as? [UInt8] { return search(bytes) }
        return findings(inText: Self.prints(of: value))
    }

    /// All that prints when a value is interpolated, dumped, mirrored or described for debugging.
    package static func prints(of value: Any) -> String {
        var text = "\(value)\n" + String(reflecting: value) + "\n"
        dump(value, to: &text)
        describe(Mirror(reflecting: value), depth: 0, to: &text)
        return text
    }

    /// The secrets that stand in a text.
    public func findings(inText text: String) -> [String] {
        search(Array(text.utf8))
    }

    /// The secrets that stand in bytes, for example of a file.
    public func findings(in bytes: [UInt8]) -> [String] {
        search(bytes)
    }

    /// Has a name of its own: called as `findings(in:)` the compiler may take bytes for any value, and never come back.
    private func search(_ bytes: [UInt8]) -> [String] {
        traces.withLock { $0.found(in: bytes) }
    }

    /// What a mirror's children say of themselves when they are interpolated, which a dump does not ask them.
    private static func describe(_ mirror: Mirror, depth: Int, to text: inout String) {
        guard depth < 8 else { return }
        for child in mirror.children.prefix(1000) {
            // Others print by their mirrors, which the dump has done.
            if child.value is any CustomStringConvertible { text += "\(child.value)\n" }
            describe(Mirror(reflecting: child.value), depth: depth + 1, to: &text)
        }
        if let parent = mirror.superclassMirror { describe(parent, depth: depth + 1, to: &text) }
    }
}
