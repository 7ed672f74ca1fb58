internal import IdentityStoreKit

extension Schema {
    /// Creates the tables in an empty file.
    static func create(on connection: Connection, _ keys: StoreKeys, slotSize: Int) throws {
        let header = try StoreHeader.make(sealedUnder: keys, slotSize: slotSize)
        try connection.transaction {
            try connection.execute(tables)
            try connection.execute("PRAGMA user_version = \(version); PRAGMA application_id = \(applicationID)")
            _ = try connection.run(.insertStore, .bytes(header.storeID), .integer(Int64(slotSize)))
            for record in header.sealedLookupKeys { try insertLookupKey(record, keys, connection) }
        }
    }

    static func insertLookupKey(_ record: [UInt8], _ keys: StoreKeys, _ connection: Connection) throws {
        _ = try connection.run(.insertLookupKey, .bytes(keys.active.identifier), .bytes(record))
    }
}
