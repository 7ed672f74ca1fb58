internal import IdentityCrypto
public import IdentityKit

/// The header that a store writes when it is created: an id, the length of its records, and the lookup key.
///
/// Store the header as three values beside the rows. A store without its header cannot be read. The lookup key is the only secret in the
/// header, and is encrypted with the active store key. When the store is opened for writing with a new active key, the header gets a
/// further copy of the lookup key, encrypted with the new key.
public struct StoreHeader: Sendable {
    /// 16 random bytes that every record is bound to.
    public let storeID: [UInt8]
    /// The length of a record in bytes, 512 to 1,048,576; a record that does not fit has 2, 4, 8 or 16 times this length.
    public let slotSize: Int
    /// The lookup key, with which the hashes of rows are computed: one encrypted copy for each store key that was the active key.
    public private(set) var sealedLookupKeys: [[UInt8]]

    /// The permitted values of ``slotSize``.
    public static let slotSizes = 512...1_048_576

    private static let lookupSlotSize = 256
    private static let lookupIdentity = RecordFields(.lookupKey, row: Array("lookup key".utf8))
    /// The format version of the sealed records, to which each record is bound.
    private static let recordVersion: UInt32 = 1

    /// Creates the header of an existing store from its three values; nil if the id or the slot size is invalid.
    public init?(storeID: [UInt8], slotSize: Int, sealedLookupKeys: [[UInt8]]) {
        guard storeID.count == 16, Self.slotSizes.contains(slotSize) else { return nil }
        self.storeID = storeID
        self.slotSize = slotSize
        self.sealedLookupKeys = sealedLookupKeys
    }

    /// Creates the header of a new store.
    ///
    /// - Parameters:
    ///   - keys: The keys of the store; the active key encrypts the lookup key.
    ///   - slotSize: The length of a record in bytes, by default 7,680. A record that does not fit has 2, 4, 8 or 16 times this length.
    /// - Returns: The header. Write it to the database before the first row.
    /// - Throws: `IdentityError` when the slot size is out of range, or when OpenSSL fails.
    public static func make(
        sealedUnder keys: StoreKeys,
        slotSize: Int = 7_680
    ) throws -> StoreHeader {
        let random = try SystemRandom().bytes(16 + LookupKey.byteCount)
        guard
            var header = StoreHeader(storeID: Array(random.prefix(16)), slotSize: slotSize, sealedLookupKeys: [])
        else { throw IdentityError.invalidSlotSize }
        let lookupKey = Array(random.suffix(LookupKey.byteCount))
        header.sealedLookupKeys = [try header.lookupSealer(keys).seal(lookupKey, as: lookupIdentity)]
        return header
    }

    /// Returns the object that seals and opens the rows of the store.
    ///
    /// - Throws: `IdentityError` with code `store_key_mismatch` when `keys` contains no key of the store, `store_corrupt` when the
    ///   header is damaged, or `system_failure` when OpenSSL fails.
    public func records(openedWith keys: StoreKeys) throws(IdentityError) -> StoreRecords {
        StoreRecords(
            sealer: sealer(keys, slotSize: slotSize),
            lookup: LookupKey(SecretBytes(try lookupKey(keys)))
        )
    }

    /// Returns the lookup key, encrypted with the active key; nil if the header already contains this copy.
    ///
    /// Add the result to the header when a store is opened with a new active key.
    public func missingLookupKey(for keys: StoreKeys) throws(IdentityError) -> [UInt8]? {
        let active = keys.active.identifier
        guard !sealedLookupKeys.contains(where: { RecordSealer.keyIdentifier(of: $0)?.elementsEqual(active) == true })
        else { return nil }
        return try lookupSealer(keys).seal(lookupKey(keys), as: Self.lookupIdentity)
    }

    /// Adds the result of ``missingLookupKey(for:)`` to the header.
    ///
    /// Write the header to the database before a row is saved: otherwise a process that has only the new key cannot open the store.
    public mutating func add(sealedLookupKey record: [UInt8]) {
        sealedLookupKeys.append(record)
    }

    private func lookupKey(_ keys: StoreKeys) throws(IdentityError) -> [UInt8] {
        let records = sealedLookupKeys.filter { RecordSealer.keyIdentifier(of: $0).flatMap(keys.key) != nil }
        var failure: IdentityError?
        // Each of these records contains the same lookup key, so one intact record is enough.
        for record in records {
            do throws(IdentityError) {
                return Array(try lookupSealer(keys).open(record, as: Self.lookupIdentity))
            } catch {
                failure = failure ?? error
            }
        }
        guard let failure else {
            let identifiers = sealedLookupKeys.compactMap { RecordSealer.keyIdentifier(of: $0) }
            if identifiers.isEmpty {
                throw IdentityError(
                    storeCorrupt: "The header of the store contains no key that this version can read.",
                    hint:
                        "Use the version of the program that created the store, or restore the store from a backup. No session was changed."
                )
            }
            let wanted = identifiers.map(Hexadecimal.encode).joined(separator: ", ")
            let given = ([keys.active] + keys.readOnly).map(\.id).joined(separator: ", ")
            throw IdentityError(
                .configuration,
                .storeKeyMismatch,
                "The store needs a key with one of the ids \(wanted), but this process has only keys with the ids \(given).",
                hint: """
                    Set `key` of the store's configuration to one of the store's keys, or add one of these keys to `readOnlyKeys` of the \
                    store's configuration. No session was changed.
                    """
            )
        }
        guard failure.code == .storeCorrupt else { throw failure }
        throw failure.recast(
            message: "The header of the store is damaged, so that no record can be read. No session was changed.",
            hint: "Restore the store from a backup."
        )
    }

    private func lookupSealer(_ keys: StoreKeys) -> RecordSealer { sealer(keys, slotSize: Self.lookupSlotSize) }

    private func sealer(_ keys: StoreKeys, slotSize: Int) -> RecordSealer {
        RecordSealer(keys: keys, storeID: storeID, schemaVersion: Self.recordVersion, slotSize: slotSize)
    }
}

extension IdentityError {
    package static var invalidSlotSize: IdentityError {
        IdentityError(
            configuration: "The store's slot size must be between 512 and 1048576 bytes.",
            hint: "Set the store's slotSize to a value from 512 to 1048576, for example 7680."
        )
    }
}
