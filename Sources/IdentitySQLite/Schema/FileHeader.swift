internal import CIdentitySQLite
internal import IdentityKit
internal import IdentityStoreKit

/// The header of a store's file, from the tables `store` and `lookup_key`.
struct FileHeader {
    let store: StoreHeader
    /// Whether the file is a backup that was not opened for writing yet.
    ///
    /// The refresh tokens in a backup may have been used after it was made, so ``update(_:_:)`` marks its sessions as restored.
    let isCopy: Bool

    /// Reads the header of a file; throws if the file is not a store of the version ``Schema/version``.
    init(reading connection: Connection) throws {
        try Self.checkSchemaVersion(of: connection)
        let row = try Self.storeRow(connection)
        let keys = try connection.all(.readLookupKeys) { $0.bytes(0) }
        guard let row, let slotSize = Int(exactly: row.slotSize),
            let store = StoreHeader(storeID: row.id, slotSize: slotSize, sealedLookupKeys: keys)
        else { throw Self.lost }
        self.store = store
        isCopy = row.isCopy != 0
    }

    private static func checkSchemaVersion(of connection: Connection) throws {
        guard try connection.number("application_id") == Schema.applicationID else {
            throw IdentityError(
                configuration: "The file is a SQLite database, but not a session store.",
                hint: "Set the store's path to a file that only IdentityKit uses."
            )
        }
        let version = try connection.number("user_version")
        guard version > 0 else { throw lost }
        guard version >= Schema.version else {
            throw IdentityError.storeCorrupt(
                "The store's file has version \(version), which no release wrote. This program reads version \(Schema.version)."
            )
        }
        guard version == Schema.version else {
            throw IdentityError(
                .configuration,
                .storeTooNew,
                "The store's file has version \(version), but this program reads version \(Schema.version).",
                hint: """
                    Update the program. If you set the store's path to another file instead, all buyers have to sign in again. The \
                    sessions in the file were not changed.
                    """
            )
        }
    }

    private static func storeRow(
        _ connection: Connection
    ) throws -> (id: [UInt8], slotSize: Int64, isCopy: Int64)? {
        do {
            // `listSweepable` fails for a file of an earlier, unreleased version, which does not have the column `sweep_after`.
            _ = try connection.first(.listSweepable, .real(0), .real(0), .integer(0), .integer(0)) { _ in }
            return try connection.first(.readStore) { ($0.bytes(0), $0.integer(1), $0.integer(2)) }
        } catch {
            guard error.primary == SQLITE_ERROR else { throw error }
            throw IdentityError.storeCorrupt("The store's file does not have the tables of version \(Schema.version).")
        }
    }

    func needsWriting(for keys: StoreKeys) throws -> Bool {
        try isCopy || store.missingLookupKey(for: keys) != nil
    }

    /// Marks the sessions of a backup as restored, and adds the copy of the lookup key for the active key if the header lacks this copy.
    static func update(_ connection: Connection, _ keys: StoreKeys) throws {
        try connection.transaction {
            let current = try FileHeader(reading: connection)
            if current.isCopy {
                _ = try connection.run(.markRestored)
                // Sessions in quarantine are marked too, because they can be put back later.
                try connection.execute("UPDATE quarantine SET restored = 1 WHERE origin = 'session'")
                try connection.execute("UPDATE store SET is_copy = 0")
            }
            if let record = try current.store.missingLookupKey(for: keys) {
                _ = try connection.run(.insertLookupKey, .bytes(keys.active.identifier), .bytes(record))
            }
        }
    }

    static var lost: IdentityError { .storeCorrupt("The header of the store's file is missing or damaged.") }
}
