internal import IdentityCrypto
package import IdentityKit
internal import Synchronization

/// Encrypts (seals) and decrypts (opens) records; each record is padded and bound to its row.
///
/// A record has the length of 1, 2, 4, 8 or 16 slots, so its length tells little about its content.
///
/// A record is `magic 4 | format 1 | algorithm 1 | flags 2 | key id 16 | nonce 12 | ciphertext | tag 16`; the numbers are lengths in bytes.
/// The plaintext is the length of the body (4 bytes, big-endian), the body, and zeros. Algorithm 1 is AES-256-GCM with a random nonce. Each
/// row has its own key, so that the number of records under one key stays far below the limit of 2^32 (NIST SP 800-38D section 8.3).
package struct RecordSealer: Sendable {
    /// The number of bytes of a record in addition to the body.
    package static let overhead = headerCount + AESGCM.nonceCount + AESGCM.tagCount + lengthCount

    private static let prefix: [UInt8] = Array("IKSR".utf8) + [1, 1, 0, 0]
    private static let label = "IdentityKit sealed record"
    private static let headerCount = 24
    private static let lengthCount = 4
    private static let maximumTenantLength = 1_536
    private static let damage = "it was changed, truncated or moved here from another row"
    private static let largestFactor = 16

    package let keys: StoreKeys
    package let slotSize: Int
    private let storeID: [UInt8]
    private let schemaVersion: UInt32
    private let extracted = ExtractedKeys()

    /// Creates a sealer for one store.
    ///
    /// Each record is bound to the random `storeID` and to `schemaVersion`, the version of the records' content, not of the tables.
    /// `slotSize` is in bytes.
    package init(keys: StoreKeys, storeID: [UInt8], schemaVersion: UInt32, slotSize: Int) {
        self.keys = keys
        self.storeID = storeID
        self.schemaVersion = schemaVersion
        self.slotSize = max(slotSize, Self.overhead)
    }

    package func withSlotSize(_ slotSize: Int) -> RecordSealer {
        RecordSealer(keys: keys, storeID: storeID, schemaVersion: schemaVersion, slotSize: slotSize)
    }

    /// The length of the longest body that fits into one slot.
    package var slotCapacity: Int { slotSize - Self.overhead }
    /// The length of the longest body of a record.
    package var capacity: Int { longestRecord - Self.overhead }
    package var longestRecord: Int { slotSize * Self.largestFactor }

    /// The length of a record for a body of `count` bytes; the maximum length if the body is too long.
    package func recordLength(forBody count: Int) -> Int {
        var length = slotSize
        while length - Self.overhead < count, length < longestRecord { length *= 2 }
        return length
    }

    /// Encrypts the content of a row with the active key, into at least `length` bytes, so that a saved row does not become shorter.
    ///
    /// Throws `store_record_too_large` when the body or the tenant's name is too long, and `system_failure` when OpenSSL fails.
    package func seal(
        _ body: [UInt8],
        as identity: RecordFields,
        atLeast length: Int = 0
    ) throws(IdentityError) -> [UInt8] {
        guard body.count <= capacity, let bodyLength = UInt32(exactly: body.count) else {
            throw IdentityError(
                .configuration,
                .storeRecordTooLarge,
                "A record of \(body.count) bytes is larger than the store's maximum of \(capacity) bytes.",
                hint: """
                    If the record is a session, request fewer claims and scopes. If the record is an attachment, store less data in the \
                    attachment. If the record is a login attempt, use shorter LoginOptions, for example a shorter returnPath. If this does \
                    not help, create a new store in Swift with a larger slotSize: all buyers then have to sign in again. The maximum is \
                    about sixteen times slotSize.
                    """
            )
        }
        // The tenant's name is part of the input of HKDF, whose length OpenSSL limits.
        guard identity.tenant.utf8.count <= Self.maximumTenantLength else {
            throw IdentityError(
                .configuration,
                .storeRecordTooLarge,
                "The tenant's name is longer than the maximum of \(Self.maximumTenantLength) bytes.",
                hint: "Use short ids as names of tenants."
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
            return try AESGCM.seal(
                plaintext,
                key: rowKey(under: keys.active, for: identity),
                nonce: nonce,
                associatedData: associatedData(header, identity),
                after: header + nonce
            )
        } catch {
            throw .sealingUnavailable(error)
        }
    }

    /// Decrypts a record that was sealed for this row.
    ///
    /// Throws `store_key_mismatch` when this process does not have the record's key, `store_corrupt` when the record was changed, truncated
    /// or moved from another row, and `system_failure` when OpenSSL fails.
    package func open(_ record: [UInt8], as identity: RecordFields) throws(IdentityError) -> ArraySlice<UInt8> {
        guard isRecordLength(record.count), let identifier = Self.keyIdentifier(of: record) else {
            throw .damagedRecord(Self.damage)
        }
        guard let key = keys.key(identifier) else { throw Self.missingKey(identifier) }
        let ciphertext = Self.headerCount + AESGCM.nonceCount
        let plaintext: [UInt8]
        do {
            plaintext = try AESGCM.open(
                record[ciphertext...],
                key: rowKey(under: key, for: identity),
                nonce: Array(record[Self.headerCount..<ciphertext]),
                associatedData: associatedData(record[..<Self.headerCount], identity)
            )
        } catch let error where error.code == .authenticationFailed {
            throw .damagedRecord(Self.damage, cause: error)
        } catch {
            throw .sealingUnavailable(error)
        }
        var reader = FieldReader(plaintext[...])
        guard let body = reader.field() else {
            throw .damagedRecord(Self.damage)
        }
        return body
    }

    /// The identifier of the key with which a record is encrypted; nil if the bytes are not a record.
    package static func keyIdentifier(of record: [UInt8]) -> ArraySlice<UInt8>? {
        record.count >= overhead ? keyIdentifier(ofStart: record) : nil
    }

    /// The identifier of the key with which a record is encrypted, from its first 24 bytes; nil if they are not the start of a record.
    package static func keyIdentifier(ofStart start: [UInt8]) -> ArraySlice<UInt8>? {
        guard start.count >= headerCount, start.starts(with: prefix) else { return nil }
        return start[prefix.count..<headerCount]
    }

    private func isRecordLength(_ count: Int) -> Bool {
        count >= slotSize && count == recordLength(forBody: count - Self.overhead)
    }

    private func rowKey(under key: StoreKey, for identity: RecordFields) throws(CryptoError) -> SecretBytes {
        var info = FieldWriter(capacity: 128)
        info.append(Self.label)
        info.append(identity.tenant)
        info.append(identity.row)
        return try extracted.key(of: key, salt: storeID).deriveKey(info: info.bytes)
    }

    private func associatedData(_ header: some Collection<UInt8>, _ identity: RecordFields) -> [UInt8] {
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

    private static func missingKey(_ identifier: ArraySlice<UInt8>) -> IdentityError {
        IdentityError(
            .configuration,
            .storeKeyMismatch,
            "A stored record is encrypted with the key \(Hexadecimal.encode(identifier)), which this process does not have.",
            hint: """
                Add this key to `readOnlyKeys` of the store's configuration. If the store never had this key, the record is damaged: \
                restore the record from a backup, or let the buyer start again.
                """
        )
    }
}

/// A cache of the pseudorandom key that HKDF extracts from each store key (RFC 5869), which is the same for all rows of a store.
///
/// The extracted key is as secret as the store key, which stays in memory for the same time.
private final class ExtractedKeys: Sendable {
    private let known = Mutex<[[UInt8]: HKDFSHA256.PseudorandomKey]>([:])

    func key(of key: StoreKey, salt: [UInt8]) throws(CryptoError) -> HKDFSHA256.PseudorandomKey {
        try known.withLock { (known) throws(CryptoError) in
            if let extracted = known[key.identifier] { return extracted }
            let extracted = try HKDFSHA256.PseudorandomKey(from: key.bytes, salt: salt)
            known[key.identifier] = extracted
            return extracted
        }
    }
}
