#if PostgreSQL
internal import IdentityKit
internal import IdentityStoreKit

extension Schema {
    /// The header of a store, from the tables `store` and `lookup_key`; nil if the schema contains no store.
    ///
    /// Throws if the tables do not have the version and the format that this program creates, or if the header is damaged.
    static func header(_ sql: Statements, _ run: (Statement) async throws -> Rows) async throws -> StoreHeader? {
        // This statement reads the tables of the catalog, because `to_regclass` may return the state from before `openRecords` waited for
        // its advisory lock.
        let columns = try await run(
            sql.rare(
                """
                SELECT attribute.attname::text FROM pg_attribute AS attribute
                JOIN pg_class AS relation ON relation.oid = attribute.attrelid
                JOIN pg_namespace AS space ON space.oid = relation.relnamespace
                WHERE space.nspname = '\(sql.schema)' AND relation.relname = 'store'
                AND attribute.attnum > 0 AND NOT attribute.attisdropped
                """
            )
        )
        .all.map { $0.text(0) }
        guard !columns.isEmpty else { return nil }
        try await checkFormat(columns, sql, run)
        let row = try await run(sql.rare("SELECT store_id, slot_size FROM §store")).first
        let keys = try await run(sql.rare("SELECT record FROM §lookup_key LIMIT 1000")).all.map { $0.bytes(0) }
        guard let row, let slotSize = Int(exactly: row.integer(1)),
            let header = StoreHeader(storeID: row.bytes(0), slotSize: slotSize, sealedLookupKeys: keys)
        else { throw lost }
        return header
    }

    /// Checks the version and the format; `columns` are the columns of the table `store`, which every version has.
    private static func checkFormat(
        _ columns: [String],
        _ sql: Statements,
        _ run: (Statement) async throws -> Rows
    ) async throws {
        guard columns.contains("version"), columns.contains("store_id") else {
            throw IdentityError(
                configuration:
                    "In the schema \"\(sql.schema)\", another program uses the name \"store\". The schema has no session store.",
                hint: "Set the store's schema to a schema that only IdentityKit uses."
            )
        }
        // Old versions of the tables do not have the column `format`.
        guard columns.contains("format") else { throw otherFormat(sql) }
        guard let row = try await run(sql.rare("SELECT version, format FROM §store")).first, row.integer(0) > 0 else {
            throw lost
        }
        guard row.integer(0) <= version else {
            throw IdentityError(
                .configuration,
                .storeTooNew,
                "The store's tables have version \(row.integer(0)), but this program reads version \(version).",
                hint: """
                    Update the program. If you configure an empty schema instead, move the spool directory away if you use one; all \
                    buyers then have to sign in again. The database was not changed.
                    """
            )
        }
        guard row.integer(0) == version, row.bytes(1) == (try format()) else { throw otherFormat(sql) }
    }

    private static func otherFormat(_ sql: Statements) -> IdentityError {
        IdentityError(
            .configuration,
            .storeCorrupt,
            "Another version of IdentityKit created the tables in the schema \"\(sql.schema)\". This version cannot read them.",
            hint: """
                To keep the sessions, use the version of IdentityKit that created the tables. To start with an empty store, configure an \
                empty schema, set createsStore to true for the first start, and move the spool directory away if you use one. All buyers \
                then have to sign in again. The database was not changed.
                """
        )
    }

    private static var lost: IdentityError { .storeCorrupt("The header of the store is missing or damaged.") }
}
#endif
