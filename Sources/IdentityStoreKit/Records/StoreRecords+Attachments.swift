public import IdentityKit

extension StoreRecords {
    /// The revision that follows the given one, or for nil the first revision of a new attachment; nil if no higher revision exists.
    ///
    /// The first revision is random. Otherwise a caller that has read an attachment could replace a new attachment of the same name after
    /// the old one was removed. The first revision is already so large that later revisions need no more bytes in a database.
    public func revision(after revision: Int64?) throws -> Int64? {
        if let revision {
            let (next, overflow) = revision.addingReportingOverflow(1)
            return overflow ? nil : next
        }
        let random = try SystemRandom().bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return StoredSession.firstGeneration + Int64(random >> 18)
    }

    /// Seals an attachment of a session.
    public func seal(
        _ payload: Secret,
        as name: String,
        of id: SessionID,
        revision: Int64
    ) throws(IdentityError) -> SealedAttachment {
        var row = SealedAttachment(
            hash: try hash(ofAttachment: name, of: id),
            session: try hash(of: id),
            revision: revision,
            record: []
        )
        var body = FieldWriter(capacity: payload.count + 64)
        body.append(name)
        body.append(payload.revealBytes())
        row.record = try sealer.seal(body.bytes, as: row.identity)
        return row
    }

    /// Opens a row that was found as an attachment of a session; throws `store_corrupt` if it belongs to another session.
    ///
    /// The encryption does not protect the column `session`. The check of the row's hash, which is computed from the session's id, finds a
    /// changed column.
    public func open(
        _ row: SealedAttachment,
        of id: SessionID
    ) throws(IdentityError) -> (name: String, payload: Secret) {
        var reader = FieldReader(try sealer.open(row.record, as: row.identity))
        guard let name = reader.text(), let payload = reader.field(), reader.isAtEnd else {
            throw .damagedRecord("its content is not an attachment")
        }
        guard try hash(ofAttachment: name, of: id) == row.hash else {
            throw .damagedRecord("the attachment belongs to another session")
        }
        return (name, Secret(bytes: Array(payload)))
    }
}
