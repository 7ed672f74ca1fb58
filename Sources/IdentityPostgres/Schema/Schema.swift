#if PostgreSQL
internal import IdentityCrypto
internal import IdentityStoreKit

/// The tables; `§` stands for the schema's name and a dot.
///
/// A row's key is the first 63 bits of the keyed hash by which the row is found. The column `slot` contains the encrypted record, which
/// cannot be compressed. PostgreSQL stores a record of more than about 2,000 bytes apart from its row, so that a scan of the table does not
/// read it. The columns that change with each save have no index, so that PostgreSQL can update a row within its page. The exception is
/// `is_in_doubt`: its index contains only the few sessions with a refresh in progress or in doubt.
///
/// If the version changes, write a migration from each released version to the next. Run the migration in the transaction in which
/// `PostgresStore.openRecords` creates the tables or updates the header. ``header(_:_:)`` and `openRecords` now refuse every version
/// except ``version``, so first change both functions to accept the released versions.
enum Schema {
    /// The version of the tables and of the records in them.
    static let version: Int64 = 2

    /// A hash of the statements that create the tables, which identifies their format.
    ///
    /// A new store records the hash. If the statements change without a new version, the hash shows that older tables have another format.
    static func format(of tables: [String] = tables) throws(CryptoError) -> [UInt8] {
        // Only the words count, because spaces and line breaks in this file must not change the hash.
        let words = tables.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        return try Digest.sha256(Array(words.joined(separator: "\n").utf8))
    }

    static func create(
        _ transaction: Transaction,
        _ sql: Statements,
        _ keys: StoreKeys,
        slotSize: Int
    ) async throws {
        let header = try StoreHeader.make(sealedUnder: keys, slotSize: slotSize)
        // If an administrator has created the schema, the database user may lack the right to create schemas. PostgreSQL checks this right
        // also for CREATE SCHEMA IF NOT EXISTS.
        let exists = try await transaction.run(
            sql.rare("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = '\(sql.schema)')")
        )
        if exists.first?.flag(0) != true {
            _ = try await transaction.run(sql.rare("CREATE SCHEMA \"\(sql.schema)\""))
        }
        for statement in tables { _ = try await transaction.run(sql.rare(statement)) }
        _ = try await transaction.run(
            sql.rare(
                "INSERT INTO §store (id, version, format, store_id, slot_size) VALUES (1, $1, $2, $3, $4)",
                [.integer, .bytes, .bytes, .integer]
            ),
            .integer(version),
            .bytes(try format()),
            .bytes(header.storeID),
            .integer(Int64(slotSize))
        )
        for record in header.sealedLookupKeys { try await insertLookupKey(record, keys, transaction, sql) }
    }

    static func insertLookupKey(
        _ record: [UInt8],
        _ keys: StoreKeys,
        _ transaction: Transaction,
        _ sql: Statements
    ) async throws {
        _ = try await transaction.run(
            sql.rare("INSERT INTO §lookup_key (key_id, record) VALUES ($1, $2)", [.bytes, .bytes]),
            .bytes(keys.active.identifier),
            .bytes(record)
        )
    }
}
#endif
