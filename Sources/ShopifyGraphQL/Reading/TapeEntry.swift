/// A value or a member's name in eight bytes: 3 bits for its kind, 29 bits for its length, and 32 bits for its place or end.
struct TapeEntry: Sendable, Equatable {
    enum Kind: UInt64 {
        case null, no, yes, number, text
        /// A text with escapes. Its decoded bytes are in ``GraphQLTape/decoded``.
        case decodedText
        case list, object
    }

    static let limit = 1 << 28

    private var bits: UInt64

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - kind: The kind of the value.
    ///   - length: Bytes of a text or number; elements of a list, members of an object.
    ///   - place: The first byte of a text or number; the entry after the end of a list or object.
    init(_ kind: Kind, length: Int = 0, place: Int = 0) {
        bits = kind.rawValue | UInt64(truncatingIfNeeded: length) << 3 | UInt64(truncatingIfNeeded: place) << 32
    }

    var kind: Kind { Kind(rawValue: bits & 7) ?? .null }
    var length: Int { Int(truncatingIfNeeded: (bits >> 3) & 0x1FFF_FFFF) }
    var place: Int { Int(truncatingIfNeeded: bits >> 32) }
    var isContainer: Bool { bits & 7 >= Kind.list.rawValue }
    var isText: Bool { kind == .text || kind == .decodedText }
}
