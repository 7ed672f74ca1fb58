internal import IdentityCrypto

/// The opaque name of a session: 128 random bits, which an app keeps in its cookie.
///
/// Whoever knows it acts as the buyer, so it prints only its first characters; ``rawValue`` is the whole.
public struct SessionID: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The text, 22 characters of the base64url alphabet.
    public let rawValue: String

    /// Takes a text back from a cookie or a command line; nil unless it has the form of a session id.
    public init?(rawValue: String) {
        guard rawValue.utf8.count == 22, Base64URL.decode(rawValue)?.count == 16 else { return nil }
        self.rawValue = rawValue
    }

    init(bytes: [UInt8]) {
        rawValue = Base64URL.encode(bytes)
    }

    /// The first six characters, enough to tell sessions apart in a log.
    public var description: String { "\(rawValue.prefix(6))…" }
}

extension SessionID: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children, so that `dump` does not find the whole either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
