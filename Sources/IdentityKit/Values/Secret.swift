package import IdentityCrypto

/// A secret value, which no print, dump, mirror, encoder or string interpolation shows.
///
/// Apps read it only with ``reveal()`` or ``revealBytes()``, so that a text search finds every use. The bytes are wiped from memory when
/// the last copy of the secret is released, but a revealed text or array is not wiped.
///
/// ```swift
/// let secret = Secret("s3cret")
/// print(secret)           // <secret>
/// send(secret.reveal())   // s3cret
/// ```
public struct Secret: Sendable {
    package let bytes: SecretBytes

    /// Creates a secret from the UTF-8 bytes of a text.
    public init(_ text: String) {
        bytes = unsafe text.utf8.span.withUnsafeBytes { unsafe SecretBytes(copying: $0) }
    }

    /// Creates a secret from bytes.
    public init(bytes: [UInt8]) {
        self.bytes = SecretBytes(bytes)
    }

    package init(_ bytes: SecretBytes) {
        self.bytes = bytes
    }

    /// The number of bytes.
    public var count: Int { bytes.count }

    /// Whether the secret has no bytes.
    public var isEmpty: Bool { bytes.count == 0 }

    /// The secret as text; invalid UTF-8 is replaced by U+FFFD.
    public func reveal() -> String {
        unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the secret as bytes.
    public func revealBytes() -> [UInt8] {
        bytes.copyBytes()
    }

    /// Compares two secrets in a time that depends only on their lengths.
    public func isEqual(to other: Secret) -> Bool {
        bytes.isEqual(to: other.bytes)
    }
}

extension Secret: Redacted {
    /// The constant text `<secret>`.
    public var description: String { "<secret>" }
}
