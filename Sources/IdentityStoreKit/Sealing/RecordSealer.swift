internal import IdentityCrypto
public import IdentityKit

/// Seals records for a store: encrypted under a key of their own row, bound to that row, and of hardly any other length.
///
/// Nearly every record has the length of a slot. What outgrows it takes 2, 4, 8 or 16 slots, so that new tokens are never lost for
/// being longer than the old ones, and a length still says next to nothing. Which of them it is needs no binding: the tag covers
/// the length, so nothing can be cut off or added.
///
/// A record is `magic 4 | format 1 | algorithm 1 | flags 2 | key id 16 | nonce 12 | ciphertext | tag 16`; the plaintext is its
/// length, the body and zeros. Algorithm 1 is AES-256-GCM with a random nonce. Keys are derived per row, so that the number of
/// seals under one key stays far below the 2^32 of NIST SP 800-38D section 8.3 however large the store grows.
package struct RecordSealer: Sendable {
    /// The length of a record where nothing else was asked for.
    package static let defaultSlotSize = 8_192
    /// What a record has besides the body.
    package static let overhead = headerCount + AESGCM.nonceCount + AESGCM.tagCount + lengthCount

    private static let prefix: [UInt8] = Array("IKSR".utf8) + [1, 1, 0, 0]
    private static let label = "IdentityKit sealed record"
    private static let headerCount = 24
    private static let lengthCount = 4
    private static let maximumTenantLength = 1_536
    private static let largestFactor = 16

    package let keys: KeyRing
    package let slotSize: Int
    private let storeID: [UInt8]
    private let schemaVersion: UInt32

    /// A sealer for one store.
    ///
    /// - Parameters:
    ///   - keys: The keys of the store.
    ///   - storeID: Random bytes made with the store.
    ///   - schemaVersion: The version of the meaning of the records, not of the tables around them.
    ///   - slotSize: The size to which records are padded, in bytes.
    package init(keys: KeyRing, storeID: [UInt8], schemaVersion: UInt32, slotSize: Int = Self.defaultSlotSize) {
        self.keys = keys
        self.storeID = storeID
        self.schemaVersion = schemaVersion
        self.slotSize = max(slotSize, Self.overhead)
    }

    /// How long a body may be that fits one slot.
    package var slotCapacity: Int { slotSize - Self.overhead }
    /// How long a body may be at all.
    package var capacity: Int { longestRecord - Self.overhead }
    /// The length of the longest record.
    package var longestRecord: Int { slotSize * Self.largestFactor }

    /// The length of a record that holds a body of this many bytes, or the longest there is.
    package func recordLength(forBody count: Int) -> Int {
        var length = slotSize
        while length - Self.overhead < count, length < longestRecord { length *= 2 }
        return length
    }

    /// Seals a body under the active key.
    ///
    /// - Parameters:
    ///   - body: What is sealed.
    ///   - identity: The row that it is for.
    ///   - length: A record length that may not be undercut, so that a row keeps the room that it has.
    /// - Returns: The sealed record.
    /// - Throws: `store_record_too_large` when the body does not fit, `system_failure` when there is no randomness.
    package func seal(
        _ body: [UInt8],
        as identity: RecordIdentity,
        atLeast length: Int = 0
    ) throws(IdentityError) -> [UInt8] {
        guard body.count <= capacity, let bodyLength = UInt32(exactly: body.count) else {
            throw IdentityError(
                .configuration,
                .storeRecordTooLarge,
                "A record of \(body.count) bytes does not fit the store, which takes \(capacity).",
                hint: "Create the store with a larger slot: a record may have sixteen times its size."
            )
        }
        // OpenSSL derives no key from a longer name, which nobody gives a shop.
        guard identity.tenant.utf8.count <= Self.maximumTenantLength else {
            throw IdentityError(
                .configuration,
                .storeRecordTooLarge,
                "A tenant's name may have \(Self.maximumTenantLength) bytes.",
                hint: "Name tenants by short ids."
            )
        }
        let recordLength = self.recordLength(forBody: max(body.count, length - Self.overhead))
        var plaintext = [UInt8](repeating: 0, count: recordLength - Self.overhead + Self.lengthCount)
        for index in 0..<Self.lengthCount {
            plaintext[index] = UInt8(truncatingIfNeeded: bodyLength >> (24 - 8 * index))
        }
        plaintext.replaceSubrange(Self.lengthCount..<Self.lengthCount + body.count, with: body)
        let header = Self.prefix + keys.active.identifier
        do {
            let nonce = try SecureRandom.bytes(AESGCM.nonceCount)
            let sealed = try AESGCM.seal(
                plaintext,
                key: rowKey(under: keys.active, for: identity),
                nonce: nonce,
                associatedData: associatedData(header, identity)
            )
            var record = header
            record.reserveCapacity(recordLength)
            record.append(contentsOf: nonce)
            record.append(contentsOf: sealed)
            return record
        } catch {
            throw .sealingUnavailable(error)
        }
    }

    /// Opens a record that was sealed for this row.
    ///
    /// - Throws: `store_key_mismatch` when its key is not in the ring, `store_corrupt` when it was changed, cut or moved here
    ///   from elsewhere.
    package func open(_ record: [UInt8], as identity: RecordIdentity) throws(IdentityError) -> ArraySlice<UInt8> {
        guard isRecordLength(record.count), let identifier = Self.keyIdentifier(of: record) else {
            throw Self.damaged(nil)
        }
        guard let key = keys.key(identifier) else { throw Self.missingKey(identifier) }
        let ciphertext = Self.headerCount + AESGCM.nonceCount
        let plaintext: [UInt8]
        do {
            plaintext = try AESGCM.open(
                Array(record[ciphertext...]),
                key: rowKey(under: key, for: identity),
                nonce: Array(record[Self.headerCount..<ciphertext]),
                associatedData: associatedData(Array(record[..<Self.headerCount]), identity)
            )
        } catch let error where error.code == .authenticationFailed {
            throw Self.damaged(error)
        } catch {
            throw .sealingUnavailable(error)
        }
        let length = plaintext.prefix(Self.lengthCount).reduce(0) { $0 << 8 | Int($1) }
        guard length <= plaintext.count - Self.lengthCount else { throw Self.damaged(nil) }
        return plaintext[Self.lengthCount..<Self.lengthCount + length]
    }

    /// Which key a record was sealed under; nil for what is no record of this format.
    package static func keyIdentifier(of record: [UInt8]) -> ArraySlice<UInt8>? {
        record.count >= overhead ? keyIdentifier(ofStart: record) : nil
    }

    /// Which key a record was sealed under, from its first 24 bytes.
    package static func keyIdentifier(ofStart start: [UInt8]) -> ArraySlice<UInt8>? {
        guard start.count >= headerCount, start.starts(with: prefix) else { return nil }
        return start[prefix.count..<headerCount]
    }

    private func isRecordLength(_ count: Int) -> Bool {
        count >= slotSize && count == recordLength(forBody: count - Self.overhead)
    }

    private func rowKey(under key: StoreKey, for identity: RecordIdentity) throws(CryptoError) -> SecretBytes {
        var info = FieldWriter(capacity: 128)
        info.append(Self.label)
        info.append(identity.tenant)
        info.append(identity.row)
        return try HKDFSHA256.deriveKey(from: key.bytes, salt: storeID, info: info.bytes, count: AESGCM.keyCount)
    }

    private func associatedData(_ header: [UInt8], _ identity: RecordIdentity) -> [UInt8] {
        var data = FieldWriter(capacity: 256)
        data.append(Self.label)
        data.append(header)
        data.append(storeID)
        data.append(schemaVersion)
        data.append(identity.tenant)
        data.append(identity.provider)
        data.append(identity.issuer)
        data.append(identity.buyer)
        data.append(identity.row)
        data.append(identity.kind.rawValue)
        data.append(identity.generation)
        return data.bytes
    }

    private static func damaged(_ cause: CryptoError?) -> IdentityError {
        IdentityError(
            .configuration,
            .storeCorrupt,
            "A stored record is damaged or belongs to another row; it was left as it is.",
            hint: "Run the store's health check, and restore the row from a backup or let the buyer sign in again.",
            cause: cause
        )
    }

    private static func missingKey(_ identifier: ArraySlice<UInt8>) -> IdentityError {
        IdentityError(
            .configuration,
            .storeKeyMismatch,
            "A stored record was sealed under the key \(StoreKey.describe(identifier)), which this process does not have.",
            hint: "Add that key to the read-only keys."
        )
    }
}

extension IdentityError.Code {
    /// A record is larger than the store takes, which is sixteen times its slot size.
    public static let storeRecordTooLarge = Self(rawValue: "store_record_too_large")
}

extension IdentityError {
    /// Whether the error says something about one stored record: it is damaged, or its key is missing.
    ///
    /// Any other error, such as OpenSSL without memory, says nothing about the record. No row may be left out of a list, counted as
    /// damaged or moved to quarantine for it.
    package var concernsRecord: Bool { code == .storeCorrupt || code == .storeKeyMismatch }
}
