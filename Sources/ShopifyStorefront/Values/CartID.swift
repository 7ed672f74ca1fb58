public import IdentityKit

/// A cart's whole id, `gid://shopify/Cart/{token}?key={secret}`.
///
/// Anyone who has it can read and change the cart. So it does not print and does not encode; ``rawValue`` has the text. Keep it out of
/// logs and URLs.
public struct CartID: Sendable, Hashable {
    /// The id as Shopify wrote it.
    ///
    /// Keep it like a password.
    public let rawValue: String

    /// Creates an id; nil for an empty text and for one that is too long.
    public init?(rawValue: String) {
        guard (1...2048).contains(rawValue.utf8.count) else { return nil }
        self.rawValue = rawValue
    }

    /// Compares bytes.
    public static func == (left: CartID, right: CartID) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte) }
    }
}

extension CartID: Redacted {
    /// A constant text.
    public var description: String { "<cart id>" }
}
