internal import FoundationEssentials

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
    /// Leaves `session` empty: the table has only the session's row key, and opening an attachment does not need the session's hash.
    package init(_ row: some ColumnReading) {
        self.init(hash: row.bytes(1), session: [], revision: row.integer(2), record: row.bytes(3))
    }
}
