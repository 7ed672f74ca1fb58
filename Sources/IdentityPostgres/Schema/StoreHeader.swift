internal import IdentityCrypto
internal import IdentityKit
internal import IdentityStoreKit

/// What a store says about itself: version, store id, slot size, and the lookup key sealed under every store key.
///
/// The sealed lookup keys are also the canaries: whoever has none of the store's keys is found out before any row is read.
struct StoreHeader: Sendable {
    private let version: Int64
    private let storeID: [UInt8]
    private let slotSize: Int
    private let lookupKeys: [(key: [UInt8], record: [UInt8])]

    private static let lookupSlotSize = 256
    private static let lookupRow = Array("lookup key".utf8)

    /// Reads the header; nil where there is no store.
    ///
    /// - Throws: Unless it is a store that this version understands.
    init?(_ sql: Statements, _ run: (Statement) async throws -> Rows) async throws {
        // Read from the catalog's tables: what `to_regclass` remembers may be older than a lock that was waited for.
        let exists = try await run(
            sql.rare(
                """
                SELECT EXISTS (SELECT FROM pg_class AS relation JOIN pg_namespace AS space
                ON space.oid = relation.relnamespace WHERE space.nspname = '\(sql.schema)' AND relation.relname = 'store')
                """
            )
        )
        guard exists.first?.flag(0) == true else { return nil }
        guard let version = try await Self.version(sql, run) else {
            throw IdentityError.storeCorrupt("The store has lost its header.")
        }
        guard version <= Schema.version else {
            throw IdentityError(
                .configuration,
                .storeTooNew,
                "The store's tables have version \(version); this program knows versions up to \(Schema.version).",
                hint: "Update the program; the database was left as it is."
            )
        }
        self.version = version
        guard let store = try await run(sql.rare("SELECT store_id, slot_size FROM §store")).first,
            case let id = store.bytes(0), case let size = store.integer(1),
            id.count == 16, (512...1_048_576).contains(size), version > 0
        else { throw IdentityError.storeCorrupt("The store has lost its header.") }
        storeID = id
        slotSize = Int(size)
        lookupKeys = try await run(sql.rare("SELECT key_id, record FROM §lookup_key LIMIT 1000")).all.map {
            ($0.bytes(0), $0.bytes(1))
        }
    }

    private static func version(_ sql: Statements, _ run: (Statement) async throws -> Rows) async throws -> Int64? {
        do {
            return try await run(sql.rare("SELECT version FROM §store")).first?.integer(0)
        } catch let failure as PostgresFailure {
            guard failure.reason == .server("42703") else { throw failure }
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "The schema belongs to another program, it holds no store of sessions.",
                hint: "Name a schema of the store's own."
            )
        }
    }

    /// Whether the tables are of an older version.
    var isOld: Bool { version < Schema.version }

    /// Whether something has to be written before the store can be used for writing.
    func needsUpgrade(for keys: KeyRing) -> Bool {
        isOld || !lookupKeys.contains { $0.key == keys.active.identifier }
    }

    func sealer(_ keys: KeyRing) -> RecordSealer {
        RecordSealer(keys: keys, storeID: storeID, schemaVersion: Schema.recordVersion, slotSize: slotSize)
    }

    /// The lookup key, opened by any key that the store knows.
    func lookupKey(openedBy keys: KeyRing) throws -> LookupKey {
        guard let known = lookupKeys.first(where: { keys.key($0.key) != nil }) else {
            let wanted = lookupKeys.map { StoreKey.describe($0.key) }.joined(separator: ", ")
            throw IdentityError(
                .configuration,
                .storeKeyMismatch,
                "The store was made under another key: it wants \(wanted), this process has \(keys.active.id).",
                hint: "Give the store its key back; nothing was changed."
            )
        }
        return LookupKey(try Self.open(known.record, keys, storeID))
    }

    /// Brings the tables to the newest version, and seals the lookup key under a new active key.
    func upgrade(_ transaction: Transaction, _ sql: Statements, _ keys: KeyRing) async throws {
        try await Self.migrate(transaction, sql, from: version)
        if let known = lookupKeys.first(where: { keys.key($0.key) != nil }),
            !lookupKeys.contains(where: { $0.key == keys.active.identifier })
        {
            let record = try Self.seal(Self.open(known.record, keys, storeID), keys, storeID)
            try await Self.insertLookupKey(transaction, sql, keys, record)
        }
    }

    /// Makes the tables of a new store.
    static func create(_ transaction: Transaction, _ sql: Statements, _ keys: KeyRing, slotSize: Int) async throws {
        let random = try SystemRandom().bytes(16 + LookupKey.byteCount)
        let storeID = Array(random.prefix(16))
        let record = try seal(SecretBytes(Array(random.suffix(LookupKey.byteCount))), keys, storeID)
        // Asked first: making a schema needs a right that one whose schema was made for him does not have.
        let exists = try await transaction.run(
            sql.rare("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = '\(sql.schema)')")
        )
        if exists.first?.flag(0) != true {
            _ = try await transaction.run(sql.rare("CREATE SCHEMA \"\(sql.schema)\""))
        }
        try await migrate(transaction, sql, from: 0)
        _ = try await transaction.run(
            sql.rare(
                "INSERT INTO §store (id, version, store_id, slot_size) VALUES (1, $1, $2, $3)",
                [.integer, .bytes, .integer]
            ),
            .integer(Schema.version),
            .bytes(storeID),
            .integer(Int64(slotSize))
        )
        try await insertLookupKey(transaction, sql, keys, record)
    }

    private static func migrate(_ transaction: Transaction, _ sql: Statements, from version: Int64) async throws {
        for step in Schema.migrations.dropFirst(Int(version)) {
            for statement in step { _ = try await transaction.run(sql.rare(statement)) }
        }
        guard version > 0, version < Schema.version else { return }
        _ = try await transaction.run(sql.rare("UPDATE §store SET version = $1", [.integer]), .integer(Schema.version))
    }

    private static func insertLookupKey(
        _ transaction: Transaction,
        _ sql: Statements,
        _ keys: KeyRing,
        _ record: [UInt8]
    ) async throws {
        _ = try await transaction.run(
            sql.rare("INSERT INTO §lookup_key (key_id, record) VALUES ($1, $2)", [.bytes, .bytes]),
            .bytes(keys.active.identifier),
            .bytes(record)
        )
    }

    private static func keySealer(_ keys: KeyRing, _ storeID: [UInt8]) -> RecordSealer {
        RecordSealer(keys: keys, storeID: storeID, schemaVersion: Schema.recordVersion, slotSize: lookupSlotSize)
    }

    private static func seal(_ key: SecretBytes, _ keys: KeyRing, _ storeID: [UInt8]) throws -> [UInt8] {
        try keySealer(keys, storeID).seal(key.copyBytes(), as: RecordIdentity(.lookupKey, row: lookupRow))
    }

    private static func open(_ record: [UInt8], _ keys: KeyRing, _ storeID: [UInt8]) throws -> SecretBytes {
        let key = try keySealer(keys, storeID).open(record, as: RecordIdentity(.lookupKey, row: lookupRow))
        return SecretBytes(Array(key))
    }
}
