/// A value or a member's name in eight bytes: 3 bits for ``kind``, 29 bits for ``length``, and 32 bits for ``place``.
///
/// For a text or number, `length` counts bytes, and `place` is the index of the first byte. For a list or object, `length` counts elements
/// or members, and `place` is the index of the entry after the end.
struct TapeEntry: Sendable, Equatable {
    enum Kind: UInt64 {
        case null, no, yes, number, text
        /// A text with escapes, whose decoded bytes are in ``GraphQLTape/decoded``.
        case decodedText
        case list, object
    }

    static let limit = 1 << 28

    private var bits: UInt64

    init(_ kind: Kind, length: Int = 0, place: Int = 0) {
        bits = kind.rawValue | UInt64(truncatingIfNeeded: length) << 3 | UInt64(truncatingIfNeeded: place) << 32
    }

    var kind: Kind { Kind(rawValue: bits & 7) ?? .null }
    var length: Int { Int(truncatingIfNeeded: (bits >> 3) & 0x1FFF_FFFF) }
    var place: Int { Int(truncatingIfNeeded: bits >> 32) }
    var isContainer: Bool { bits & 7 >= Kind.list.rawValue }
    var isText: Bool { kind == .text || kind == .decodedText }
}
