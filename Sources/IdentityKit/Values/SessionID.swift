internal import IdentityCrypto

/// The opaque id of a session: 128 random bits, which the app stores in a cookie.
///
/// The id is secret, because it authenticates the buyer. ``description`` shows only its first characters; ``rawValue`` is complete.
public struct SessionID: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The id as text: 22 characters of the base64url alphabet.
    public let rawValue: String

    /// Parses an id, for example from a cookie; nil if the text does not have the form of a session id.
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
    /// Shows no children, because `dump` prints the mirror.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
