package import FoundationEssentials

/// A parameter of an SQL statement.
package enum ColumnValue: Sendable {
    case null
    case integer(Int64)
    /// A number that always takes eight bytes, so that a row keeps its length.
    case real(Double)
    case flag(Bool)
    case bytes([UInt8])

    /// A text as UTF-8 bytes, so that collation, encoding and NUL have no effect.
    package static func text(_ text: String) -> ColumnValue { .bytes(Array(text.utf8)) }

    /// A time in seconds since the beginning of 2001, without rounding.
    package static func date(_ date: Date) -> ColumnValue { .real(date.timeIntervalSinceReferenceDate) }

    package static func key(_ hash: [UInt8]) -> ColumnValue { .integer(StoreRecords.rowKey(hash)) }
}

extension SealedSession {
    /// The values of all columns, in the order that the statements for sessions expect.
    package var columnValues: [ColumnValue] {
        [
            .key(hash), .bytes(hash), .bytes(buyer), .text(tenant), .text(provider), .text(issuer),
            .integer(generation), .date(retainedUntil), .bytes(record),
            providerSession.map(ColumnValue.bytes) ?? .null, .flag(isInDoubt), .flag(isRestored),
        ]
    }
}
