package import FoundationEssentials

/// A row of a database, read by the positions of its columns.
///
/// The first column is the key of the row. The initializers in this file show the order of the other columns.
package protocol ColumnReading {
    /// The bytes of a column; empty for NULL.
    func bytes(_ column: Int32) -> [UInt8]
    func text(_ column: Int32) -> String
    func integer(_ column: Int32) -> Int64
    func real(_ column: Int32) -> Double
    func flag(_ column: Int32) -> Bool
}

extension ColumnReading {
    fileprivate func date(_ column: Int32) -> Date { Date(timeIntervalSinceReferenceDate: real(column)) }
}

extension SealedRow.Kind {
    /// The name of the table.
    package var table: String {
        switch self {
        case .session: "session"
        case .loginAttempt: "login_attempt"
        case .attachment: "attachment"
        }
    }
}

extension StoredRow {
    package init(_ row: some ColumnReading, of kind: SealedRow.Kind) {
        let content: SealedRow =
            switch kind {
            case .session: .session(SealedSession(row))
            case .loginAttempt: .loginAttempt(SealedLoginAttempt(row))
            case .attachment: .attachment(SealedAttachment(row))
            }
        self.init(key: row.integer(0), row: content)
    }
}

extension SealedSession {
    package init(_ row: some ColumnReading) {
        let providerSession = row.bytes(9)
        self.init(
            hash: row.bytes(1),
            buyer: row.bytes(2),
            providerSession: providerSession.isEmpty ? nil : providerSession,
            tenant: row.text(3),
            provider: row.text(4),
            issuer: row.text(5),
            generation: row.integer(6),
            retainedUntil: row.date(7),
            isInDoubt: row.flag(10),
            isRestored: row.flag(11),
            record: row.bytes(8)
        )
    }
}

extension SealedLoginAttempt {
    package init(_ row: some ColumnReading) {
        self.init(hash: row.bytes(1), tenant: row.text(2), expiresAt: row.date(3), record: row.bytes(4))
    }
}

extension SealedAttachment {
    /// Reads the columns of an attachment.
    ///
    /// `session` is empty: the table contains the row key of the session, and opening an attachment does not need the session's hash.
    package init(_ row: some ColumnReading) {
        self.init(hash: row.bytes(1), session: [], revision: row.integer(2), record: row.bytes(3))
    }
}

/// A value of a database's column, for a parameter of a statement.
package enum ColumnValue: Sendable {
    case null
    case integer(Int64)
    /// Always eight bytes, so that a row keeps its length.
    case real(Double)
    case flag(Bool)
    case bytes([UInt8])

    /// A text as UTF-8 bytes, so that collation, encoding and NUL have no effect.
    package static func text(_ text: String) -> ColumnValue { .bytes(Array(text.utf8)) }

    /// A time in seconds since the beginning of 2001, without rounding.
    package static func date(_ date: Date) -> ColumnValue { .real(date.timeIntervalSinceReferenceDate) }

    /// The integer key of a row, from its keyed hash.
    package static func key(_ hash: [UInt8]) -> ColumnValue { .integer(StoreRecords.rowKey(hash)) }
}

extension SealedSession {
    /// The values of all columns, in the order of the statements that write a session.
    package var columnValues: [ColumnValue] {
        [
            .key(hash), .bytes(hash), .bytes(buyer), .text(tenant), .text(provider), .text(issuer),
            .integer(generation), .date(retainedUntil), .bytes(record),
            providerSession.map(ColumnValue.bytes) ?? .null, .flag(isInDoubt), .flag(isRestored),
        ]
    }
}
