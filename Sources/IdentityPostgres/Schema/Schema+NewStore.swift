#if PostgreSQL
internal import IdentityStoreKit

extension Schema {
    /// Creates the tables of a new store.
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
