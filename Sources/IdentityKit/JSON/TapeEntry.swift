/// A value or a member's name in eight bytes: 3 bits for ``kind``, 29 bits for ``length``, and 32 bits for ``place``.
///
/// For a text or number, `length` counts bytes, and `place` is the index of the first byte. For a list or object, `length` counts elements
/// or members, and `place` is the index of the entry after the end. Before the end is read, `place` is the index of the enclosing entry.
///
/// Without `@usableFromInline`, Swift would inline nothing of this type in other modules.
@usableFromInline package struct TapeEntry: Sendable {
    @usableFromInline package enum Kind: UInt64 {
        case null, no, yes, number, text
        /// A text with escapes, whose decoded bytes are in ``JSONTape/decoded``.
        case decodedText
        case list, object
    }

    /// The largest text in bytes.
    static let limit = 1 << 28

    @usableFromInline var bits: UInt64

    init(_ kind: Kind, length: Int = 0, place: Int = 0) {
        bits = kind.rawValue | UInt64(truncatingIfNeeded: length) << 3 | UInt64(truncatingIfNeeded: place) << 32
    }

    @inlinable package var kind: Kind { Kind(rawValue: bits & 7) ?? .null }
    @inlinable package var length: Int { Int(truncatingIfNeeded: (bits >> 3) & 0x1FFF_FFFF) }
    @inlinable package var place: Int { Int(truncatingIfNeeded: bits >> 32) }
    @inlinable package var isContainer: Bool { bits & 7 >= Kind.list.rawValue }
    @inlinable package var isText: Bool { isKind(.text) || isKind(.decodedText) }

    /// Whether ``kind`` is this kind; in other modules, `==` of an enum is a slow generic function.
    @inlinable package func isKind(_ kind: Kind) -> Bool { bits & 7 == kind.rawValue }

    /// Adds one to ``length``.
    mutating func count() { bits += 1 << 3 }
}
