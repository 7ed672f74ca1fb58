internal import FoundationEssentials
public import IdentityKit

/// Encrypts (seals) and decrypts (opens) the rows of a store, and computes the keyed hashes by which a store finds rows.
///
/// `SQLiteStore` and `PostgresStore` use this type, and a store of your own can use it too. The store receives the data in plain text. It
/// writes only the members of ``SealedSession``, ``SealedLoginAttempt`` and ``SealedAttachment``:
///
/// ```swift
/// // Once, when the store is created: write the header to the database.
/// let header = try StoreHeader.make(sealedUnder: keys)
/// // Each time the store is opened, with the header that was read from the database:
/// let records = try header.records(openedWith: keys)
///
/// // To save a session:
/// let row = try records.seal(session)
/// try await redis.set(key: row.hash, value: row.bytes)
/// // To read a session:
/// guard let bytes = try await redis.get(key: records.hash(of: id)) else { return nil }
/// guard let sealed = SealedSession(bytes: bytes) else {
///     throw IdentityError(.configuration, .storeCorrupt, "The row of a session is damaged.")
/// }
/// return try records.open(sealed, of: id)
/// ```
///
/// Each record is encrypted with AES-256-GCM, and each row has its own key. A session's record is bound to its row: to the hashes of
/// session and buyer, to tenant, provider and issuer, and to the generation. The hash of the provider's session id is compared with the
/// content. A record that was changed, or moved to another row or store, cannot be opened. `Documentation/Extending/StoreOfYourOwn.md`
/// shows a whole store.
///
/// All methods are thread-safe. They throw `IdentityError`: `store_corrupt` for a damaged record, `store_key_mismatch` for a record
/// whose key this process does not have, `store_record_too_large` for a value that does not fit, `system_failure` if OpenSSL fails.
public struct StoreRecords: Sendable {
    package let sealer: RecordSealer
    private let lookup: LookupKey

    package init(sealer: RecordSealer, lookup: LookupKey) {
        self.sealer = sealer
        self.lookup = lookup
    }

    /// The same store, with records of another length.
    package func withSlotSize(_ slotSize: Int) -> StoreRecords {
        StoreRecords(sealer: sealer.withSlotSize(slotSize), lookup: lookup)
    }

    /// The number of rows that a store reads at once, so small that other calls do not wait long.
    ///
    /// If each record has the length of one slot, the rows have at most 4 MiB together.
    package var chunk: Int { max(1, min(128, (4 << 20) / sealer.slotSize)) }

    // MARK: Keyed hashes

    /// The hash that identifies a session's row.
    public func hash(of id: SessionID) throws(IdentityError) -> [UInt8] {
        try lookup.hash(.session, id.rawValue.utf8)
    }

    /// The hash by which the sessions of a buyer are found.
    public func hash(ofBuyer subject: String, at issuer: String) throws(IdentityError) -> [UInt8] {
        try lookup.hash(.buyer, issuer.utf8, subject.utf8)
    }

    /// The hash by which the sessions with a provider's session id (`sid`) are found.
    public func hash(ofProviderSession name: String) throws(IdentityError) -> [UInt8] {
        try lookup.hash(.providerSession, name.utf8)
    }

    /// The hash that identifies the row of a pending login or logout.
    public func hash(ofLoginAttempt key: String) throws(IdentityError) -> [UInt8] {
        try lookup.hash(.loginAttempt, key.utf8)
    }

    /// The hash that identifies an attachment's row.
    public func hash(ofAttachment name: String, of id: SessionID) throws(IdentityError) -> [UInt8] {
        try lookup.hash(.attachment, id.rawValue.utf8, name.utf8)
    }

    /// The hash of the key that identifies a used token.
    public func hash(ofUsedToken key: String) throws(IdentityError) -> [UInt8] {
        try lookup.hash(.usedToken, key.utf8)
    }

    /// The hash of a lock's name, for locks in a file or database.
    public func hash(of name: LockName) throws(IdentityError) -> [UInt8] {
        try lookup.hash(.lock, name.bytes)
    }

    /// The first 63 bits of a hash: the key of a row in a database that finds integers faster than bytes.
    public static func rowKey(_ hash: [UInt8]) -> Int64 {
        Int64(hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 1)
    }
}
