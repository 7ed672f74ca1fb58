internal import IdentityCrypto

/// Names a session in events, logs and lists, and cannot be used as its id: 96 bits of the SHA-256 hash of the id.
///
/// The id itself signs a browser in, so it must not be logged.
public struct SessionReference: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The reference as text: 16 characters of the base64url alphabet.
    public let rawValue: String

    /// Parses a reference; nil if the text does not have its form.
    public init?(rawValue: String) {
        guard rawValue.utf8.count == 16, Base64URL.decode(rawValue)?.count == 12 else { return nil }
        self.rawValue = rawValue
    }

    init(_ id: SessionID) {
        rawValue = Base64URL.encode(Array(SessionID.hash("reference", id).prefix(12)))
    }

    /// The reference as text.
    public var description: String { rawValue }
}

extension SessionID {
    /// The name of the session for events, logs and lists.
    public var reference: SessionReference { SessionReference(self) }

    /// A hash for one purpose.
    ///
    /// OpenSSL can fail for lack of memory only; then the hash is random, so that it equals no other one.
    static func hash(_ purpose: String, _ id: SessionID) -> [UInt8] {
        let bytes = Array("\(purpose)\0\(id.rawValue)".utf8)
        return (try? Digest.sha256(bytes)) ?? (0..<32).map { _ in UInt8.random(in: 0...255) }
    }
}
