public import IdentityKit
internal import IdentityStoreKit

extension SQLiteStore: SessionAttachmentStore {
    /// The attachment that a session has under a name; nil if no attachment has this name.
    ///
    /// - Throws: `IdentityError`; with code `store_corrupt` when the attachment is damaged or in quarantine, and with code
    ///   `store_key_mismatch` when this process does not have the attachment's key.
    public func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? {
        let hash = try records.hash(ofAttachment: name, of: id)
        let row = try await database.readRow { connection in
            try connection.find(.readAttachment, hash, .attachment, read: SealedAttachment.init)
        }
        guard let row else { return nil }
        return SessionAttachment(payload: try records.open(row, of: id).payload, revision: row.revision)
    }

    /// Adds, replaces or removes an attachment; false if its revision is not the expected one or the session does not exist.
    ///
    /// A nil `payload` removes the attachment. A nil `revision` means that the session must not have an attachment with this name yet.
    ///
    /// - Throws: `IdentityError`, for example with code `store_busy` or `store_full` (both of kind `retryLater`), `store_record_too_large`
    ///   for a payload that does not fit, or `store_corrupt` when the session's row is damaged.
    public func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool {
        let (hash, session) = (try records.hash(ofAttachment: name, of: id), try records.hash(of: id))
        guard let next = try records.revision(after: revision) else { return false }
        let row = try payload.map { try records.seal($0, as: name, of: id, revision: next) }
        return try await database.write { connection in
            guard try connection.hasSession(session) else { return false }
            let (key, name): (ColumnValue, ColumnValue) = (.key(hash), .bytes(hash))
            let (query, values): (Query, [ColumnValue])
            switch (row?.record, revision) {
            case (let record?, nil):
                (query, values) = (.insertAttachment, [key, name, .key(session), .integer(next), .bytes(record)])
            case (let record?, let revision?):
                (query, values) = (.replaceAttachment, [key, name, .integer(revision), .integer(next), .bytes(record)])
            case (nil, let revision?):
                (query, values) = (.deleteAttachment, [key, name, .integer(revision)])
            case (nil, nil):
                return try connection.first(.readAttachment, key) { _ in true } == nil
            }
            return try connection.run(query, values) == 1
        }
    }

    /// Removes the attachments of a session, returns those that can be opened, and copies the others to quarantine.
    func takeAttachments(of id: SessionID, _ session: [UInt8], _ connection: Connection) throws -> [String: Secret] {
        var payloads: [String: Secret] = [:]
        let rows = try connection.all(.readAttachments, .key(session)) {
            (key: $0.integer(0), row: SealedAttachment($0))
        }
        for (key, row) in rows {
            do {
                let (name, payload) = try records.open(row, of: id)
                payloads[name] = payload
            } catch {
                guard error.concernsRecord else { throw error }
                _ = try connection.copyToQuarantine(.attachment, key, row.record, error, at: clock.now)
            }
        }
        _ = try connection.run(.deleteAttachments, .key(session))
        return payloads
    }
}
