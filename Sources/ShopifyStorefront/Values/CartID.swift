/// A cart's whole id, `gid://shopify/Cart/{token}?key={secret}`.
///
/// Whoever has it can read and change the cart, so it prints nothing and does not encode; ``rawValue`` is the named way to
/// the text. Keep it whole and opaque, out of logs and URLs.
public struct CartID: Sendable, Hashable {
    /// The id as Shopify wrote it: a capability, to be kept like a password.
    public let rawValue: String

    /// Takes an id as Shopify wrote it; nil for an empty text and for what is too long to be one.
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

extension CartID: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same words.
    public var description: String { "<cart id>" }
    /// Always the same words.
    public var debugDescription: String { description }
    /// Shows no children, so that `dump` finds nothing either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
