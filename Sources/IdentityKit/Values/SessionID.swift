internal import IdentityCrypto

/// The opaque id of a session: 128 random bits, which the app stores in a cookie.
///
/// The id is secret, because it signs a browser in. Prints and dumps show only the ``reference``; ``rawValue`` is the id itself.
public struct SessionID: Sendable, Hashable, RawRepresentable {
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

    /// The ``reference``, which names the session in logs and cannot be used as a session id.
    public var description: String { reference.description }
}

extension SessionID: Redacted {}
