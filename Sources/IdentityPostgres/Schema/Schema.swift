#if PostgreSQL
internal import IdentityCrypto

/// The tables; `§` stands for the schema's name and a dot.
///
/// A row's key is the first 63 bits of the keyed hash by which the row is found. The column `slot` contains the encrypted record, which
/// cannot be compressed. PostgreSQL stores a record of more than about 2,000 bytes apart from its row, so that a scan of the table does not
/// read it. No column that changes with each save is indexed, so that PostgreSQL can update a row within its page. The exception is
/// `is_in_doubt`, whose index contains only the few sessions with a refresh in progress or in doubt.
///
/// If the version changes, write a migration from each released version to the next. It must run in the transaction in which
/// `PostgresStore.openRecords` creates the tables or updates the header. ``SchemaHeader`` and `openRecords` now refuse every version except
/// ``version``. So first let them accept the released versions.
enum Schema {
    /// The version of the tables.
    static let version: Int64 = 1

    /// A hash of the statements that create the tables, which identifies their format.
    ///
    /// A new store records the hash. If the statements change without a new version, the hash shows that older tables have another format.
    static func format(of tables: [String] = tables) throws(CryptoError) -> [UInt8] {
        // Only the words count, because spaces and line breaks in this file must not change the hash.
        let words = tables.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        return try Digest.sha256(Array(words.joined(separator: "\n").utf8))
    }
}
#endif
