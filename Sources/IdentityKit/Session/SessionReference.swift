internal import IdentityCrypto

/// The name of a session in events, logs and lists: 96 bits of a SHA-256 hash of the session's id.
///
/// A person or program that knows the id can use the session, so the id must not be logged. The id cannot be computed from the reference.
public struct SessionReference: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The reference as text: 16 characters of the base64url alphabet.
    public let rawValue: String

    /// Parses a reference; nil if the text is not 16 characters of the base64url alphabet.
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
    /// The name of the session in events, logs and lists, which does not reveal the id.
    public var reference: SessionReference { SessionReference(self) }

    /// A hash of a session's id for one purpose, such as `reference`; another purpose gives another hash.
    ///
    /// If OpenSSL fails, for lack of memory, the result is random bytes, which equal no other hash.
    static func hash(_ purpose: String, _ id: SessionID) -> [UInt8] {
        let bytes = Array("\(purpose)\0\(id.rawValue)".utf8)
        return (try? Digest.sha256(bytes)) ?? (0..<32).map { _ in UInt8.random(in: 0...255) }
    }
}
