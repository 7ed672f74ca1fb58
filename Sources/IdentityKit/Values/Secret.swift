package import IdentityCrypto

/// A value that must not be seen: it does not print, dump, mirror, encode or interpolate.
///
/// Reading it is a named call that can be found with grep: ``reveal()`` or ``revealBytes()``. The bytes are wiped when the
/// last copy goes; what was revealed is the caller's to look after.
public struct Secret: Sendable {
    package let bytes: SecretBytes

    /// Keeps the UTF-8 bytes of a text.
    public init(_ text: String) {
        bytes = SecretBytes(Array(text.utf8))
    }

    /// Keeps bytes.
    public init(bytes: [UInt8]) {
        self.bytes = SecretBytes(bytes)
    }

    package init(_ bytes: SecretBytes) {
        self.bytes = bytes
    }

    /// The number of bytes.
    public var count: Int { bytes.count }

    /// Whether there is nothing in it.
    public var isEmpty: Bool { bytes.count == 0 }

    /// The secret as text; bytes that are not UTF-8 are replaced.
    public func reveal() -> String {
        String(decoding: bytes.copyBytes(), as: UTF8.self)
    }

    /// The secret as bytes.
    public func revealBytes() -> [UInt8] {
        bytes.copyBytes()
    }

    /// Compares two secrets in a time that depends on their lengths only.
    public func isEqual(to other: Secret) -> Bool {
        bytes.isEqual(to: other.bytes)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same words.
    public var description: String { "<secret>" }
    /// Always the same words.
    public var debugDescription: String { "<secret>" }
    /// Shows no children, so that `dump` finds nothing either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
