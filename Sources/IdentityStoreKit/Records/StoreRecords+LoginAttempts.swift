internal import FoundationEssentials
public import IdentityKit

extension StoreRecords {
    /// Seals a pending login or logout.
    public func seal(_ attempt: StoredLoginAttempt) throws(IdentityError) -> SealedLoginAttempt {
        var row = SealedLoginAttempt(
            hash: try hash(ofLoginAttempt: attempt.key),
            tenant: attempt.tenant,
            expiresAt: attempt.expiresAt,
            record: []
        )
        var body = FieldWriter(capacity: attempt.payload.count + 64)
        body.append(attempt.key)
        body.append(attempt.expiresAt.timeIntervalSinceReferenceDate.bitPattern)
        body.append(attempt.payload.revealBytes())
        row.record = try sealer.seal(body.bytes, as: row.identity)
        return row
    }

    /// Opens the row that was found under the hash of a key; throws `store_corrupt` if the row has another hash.
    public func open(_ row: SealedLoginAttempt, of key: String) throws(IdentityError) -> StoredLoginAttempt {
        guard try hash(ofLoginAttempt: key) == row.hash else {
            throw .damagedRecord("its row belongs to another login attempt")
        }
        var reader = FieldReader(try sealer.open(row.record, as: row.identity))
        guard let key = reader.text(), let expiresAt = reader.integer(UInt64.self), let payload = reader.field(),
            reader.isAtEnd
        else { throw .damagedRecord("its content is not a login attempt") }
        return StoredLoginAttempt(
            key: key,
            tenant: row.tenant,
            expiresAt: Date(timeIntervalSinceReferenceDate: Double(bitPattern: expiresAt)),
            payload: Secret(bytes: Array(payload))
        )
    }
}
