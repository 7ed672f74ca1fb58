internal import IdentityCrypto
internal import IdentityKit
internal import IdentityStoreKit

/// What a file says about itself: version, store id, slot size, and the lookup key sealed under every store key.
///
/// The sealed lookup keys are also the canaries: whoever has none of the store's keys is found out before any row is read.
struct StoreHeader {
    private let version: Int64
    private let storeID: [UInt8]
    private let slotSize: Int
    /// Whether this is a backup that nobody has written to yet: what its sessions hold may have been spent since.
    let isCopy: Bool
    private let lookupKeys: [(key: [UInt8], record: [UInt8])]

    private static let lookupSlotSize = 256
    private static let lookupRow = Array("lookup key".utf8)

    /// Reads the header of a file; throws unless it is a store that this version understands.
    init(reading connection: Connection) throws {
        version = try Self.number(connection, "user_version")
        let application = try Self.number(connection, "application_id")
        guard application == Schema.applicationID else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "The file is another program's SQLite database, not a store of sessions.",
                hint: "Name a file of the store's own."
            )
        }
        guard version <= Schema.version else {
            throw IdentityError(
                .configuration,
                .storeTooNew,
                "The store's file has version \(version); this program knows versions up to \(Schema.version).",
                hint: "Update the program; the file was left as it is."
            )
        }
        let store = try connection.first(.readStore) { (id: $0.bytes(0), slotSize: $0.integer(1)) }
        guard let store, store.id.count == 16, (512...1_048_576).contains(store.slotSize), version > 0 else {
            throw IdentityError.storeCorrupt("The store's file has lost its header.")
        }
        storeID = store.id
        slotSize = Int(store.slotSize)
        isCopy = version >= 3 ? try connection.texts("SELECT is_copy FROM store") != ["0"] : false
        lookupKeys = try connection.all(.readLookupKeys) { (key: $0.bytes(0), record: $0.bytes(1)) }
    }

    private static func number(_ connection: Connection, _ pragma: String) throws -> Int64 {
        try connection.texts("PRAGMA \(pragma)").first.flatMap(Int64.init) ?? 0
    }

    /// Whether the tables are of an older version.
    var isOld: Bool { version < Schema.version }

    /// Whether something has to be written before the store can be used for writing.
    func needsUpgrade(for keys: KeyRing) -> Bool {
        isOld || isCopy || !lookupKeys.contains { $0.key == keys.active.identifier }
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

    /// Brings the tables to the newest version, marks the sessions of a restored backup, and seals the lookup key under a new active
    /// key.
    func upgrade(_ connection: Connection, _ lookup: LookupKey, _ keys: KeyRing) throws {
        try connection.begin()
        do {
            let current = try StoreHeader(reading: connection)
            for step in Schema.migrations.dropFirst(Int(current.version)) { try connection.execute(step) }
            if current.isOld { try connection.execute("PRAGMA user_version = \(Schema.version)") }
            if current.isCopy {
                _ = try connection.run(.markRestored)
                try connection.execute("UPDATE store SET is_copy = 0")
            }
            if let known = current.lookupKeys.first(where: { keys.key($0.key) != nil }),
                !current.lookupKeys.contains(where: { $0.key == keys.active.identifier })
            {
                let record = try Self.seal(Self.open(known.record, keys, storeID), keys, storeID)
                _ = try connection.run(.insertLookupKey, .bytes(keys.active.identifier), .bytes(record))
            }
            try connection.commit(pauses: 100)
        } catch {
            connection.rollback()
            throw error
        }
    }

    /// Makes the tables in an empty file.
    static func create(on connection: Connection, _ keys: KeyRing, slotSize: Int) throws {
        let random = try SystemRandom().bytes(16 + LookupKey.byteCount)
        let storeID = Array(random.prefix(16))
        let record = try seal(SecretBytes(Array(random.suffix(LookupKey.byteCount))), keys, storeID)
        try connection.begin()
        do {
            for step in Schema.migrations { try connection.execute(step) }
            try connection.execute(
                "PRAGMA user_version = \(Schema.version); PRAGMA application_id = \(Schema.applicationID)"
            )
            _ = try connection.run(.insertStore, .bytes(storeID), .integer(Int64(slotSize)))
            _ = try connection.run(.insertLookupKey, .bytes(keys.active.identifier), .bytes(record))
            try connection.commit(pauses: 100)
        } catch {
            connection.rollback()
            throw error
        }
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
