#if PostgreSQL
internal import IdentityKit
internal import IdentityStoreKit

/// What a schema says about itself: its version, which is checked, and the header of the store.
struct SchemaHeader: Sendable {
    let store: StoreHeader

    /// Reads the header; nil where there is no store.
    ///
    /// - Throws: Unless it is a store of the version that this program writes.
    init?(_ sql: Statements, _ run: (Statement) async throws -> Rows) async throws {
        // Read from the catalog's tables: the result of `to_regclass` may be older than a lock that was waited for.
        let exists = try await run(
            sql.rare(
                """
                SELECT EXISTS (SELECT FROM pg_class AS relation JOIN pg_namespace AS space
                ON space.oid = relation.relnamespace WHERE space.nspname = '\(sql.schema)' AND relation.relname = 'store')
                """
            )
        )
        guard exists.first?.flag(0) == true else { return nil }
        guard let version = try await Self.version(sql, run), version > 0 else { throw Self.lost }
        guard version == Schema.version else {
            throw IdentityError(
                .configuration,
                .storeTooNew,
                "The store's tables have version \(version), but this program reads version \(Schema.version).",
                hint: "Update the program, or configure another schema. The database was left as it is."
            )
        }
        let row = try await run(sql.rare("SELECT store_id, slot_size FROM §store")).first
        let keys = try await run(sql.rare("SELECT record FROM §lookup_key LIMIT 1000")).all.map { $0.bytes(0) }
        guard let row, let slotSize = Int(exactly: row.integer(1)),
            let store = StoreHeader(storeID: row.bytes(0), slotSize: slotSize, sealedLookupKeys: keys)
        else { throw Self.lost }
        self.store = store
    }

    private static func version(_ sql: Statements, _ run: (Statement) async throws -> Rows) async throws -> Int64? {
        do {
            return try await run(sql.rare("SELECT version FROM §store")).first?.integer(0)
        } catch let failure as PostgresFailure {
            guard failure.reason == .server("42703") else { throw failure }
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "The schema \"\(sql.schema)\" belongs to another program. It holds no session store.",
                hint: "Configure a schema that only IdentityKit uses."
            )
        }
    }

    /// Seals the lookup key under a new active key.
    func update(_ transaction: Transaction, _ sql: Statements, _ keys: StoreKeys) async throws {
        if let record = try store.missingLookupKey(for: keys) {
            try await Self.insert(record, keys, transaction, sql)
        }
    }

    /// Creates the tables of a new store.
    static func create(
        _ transaction: Transaction,
        _ sql: Statements,
        _ keys: StoreKeys,
        slotSize: Int
    ) async throws {
        let header = try StoreHeader.make(sealedUnder: keys, slotSize: slotSize)
        // Asked first: a user whose schema an administrator created may not have the right to create schemas.
        let exists = try await transaction.run(
            sql.rare("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = '\(sql.schema)')")
        )
        if exists.first?.flag(0) != true {
            _ = try await transaction.run(sql.rare("CREATE SCHEMA \"\(sql.schema)\""))
        }
        for statement in Schema.tables { _ = try await transaction.run(sql.rare(statement)) }
        _ = try await transaction.run(
            sql.rare(
                "INSERT INTO §store (id, version, store_id, slot_size) VALUES (1, $1, $2, $3)",
                [.integer, .bytes, .integer]
            ),
            .integer(Schema.version),
            .bytes(header.storeID),
            .integer(Int64(slotSize))
        )
        for record in header.sealedLookupKeys { try await insert(record, keys, transaction, sql) }
    }

    private static func insert(
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

    private static var lost: IdentityError { .storeCorrupt("The header of the store is missing or damaged.") }
}
#endif
