internal import IdentityStoreKit

/// The tables of a file.
///
/// A row's key is the first 63 bits of the keyed hash by which the row is found. A save must overwrite pages in place, also on a full disk.
/// So most columns that a save changes have no index and keep their stored length. These columns differ or need an explanation:
///
/// - `provider_session` is indexed and may change, but providers usually do not rename a session.
/// - `in_doubt` is indexed. Its values 0 and 1 need no bytes in the row. The index contains only the few sessions with a refresh in
///   progress or in doubt, which fit into the page that an empty index already has.
/// - `sweep_after` is indexed, but a save does not change it. Only a sweep sets it to the current end of retention.
/// - `slot` becomes longer if the new record is longer than the old one. Then the save may need free space.
///
/// If the version changes, write a migration from each released version to the next, in the transaction of ``FileHeader/update(_:_:)``.
/// ``FileHeader`` now accepts only ``version``. Extend its checks to the released versions, and let its `needsWriting` return true for
/// these versions.
enum Schema {
    /// The bytes `IKst`, which mark a file as a store of IdentityKit (`PRAGMA application_id`).
    static let applicationID: Int64 = 0x494B_7374
    /// The version of the tables and of the records in them (`PRAGMA user_version`), which ``FileHeader`` checks.
    static let version: Int64 = 3

    static func create(on connection: Connection, _ keys: StoreKeys, slotSize: Int) throws {
        let header = try StoreHeader.make(sealedUnder: keys, slotSize: slotSize)
        try connection.transaction {
            try connection.execute(tables)
            try connection.execute("PRAGMA user_version = \(version); PRAGMA application_id = \(applicationID)")
            _ = try connection.run(.insertStore, .bytes(header.storeID), .integer(Int64(slotSize)))
            for record in header.sealedLookupKeys {
                _ = try connection.run(.insertLookupKey, .bytes(keys.active.identifier), .bytes(record))
            }
        }
    }
}
