#if PostgreSQL
internal import IdentityStoreKit

/// The value of a statement's parameter; it is sent in the server's binary format.
typealias Value = ColumnValue

/// The types of statement parameters; a raw value is the object identifier of the type in `pg_type`.
enum ParameterType: UInt32, Sendable {
    case flag = 16
    case bytes = 17
    case integer = 20
    case real = 701
}

/// Values of a statement in the server's binary format, one after the other in one block of memory.
struct EncodedValues {
    private(set) var bytes: [UInt8] = []
    /// The range of each value; nil for null.
    private(set) var ranges: [Range<Int>?] = []

    init(_ values: [Value]) {
        ranges.reserveCapacity(values.count)
        for value in values {
            let start = bytes.count
            switch value {
            case .null:
                ranges.append(nil)
                continue
            case .integer(let number): append(UInt64(bitPattern: number))
            case .real(let number): append(number.bitPattern)
            case .flag(let flag): bytes.append(flag ? 1 : 0)
            case .bytes(let content): bytes.append(contentsOf: content)
            }
            ranges.append(start..<bytes.count)
        }
        // libpq reads a null pointer as NULL, so an empty value needs a byte to point to.
        bytes.append(0)
    }

    private mutating func append(_ word: UInt64) {
        for index in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * index))) }
    }
}
#endif
