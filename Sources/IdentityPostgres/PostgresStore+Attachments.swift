#if PostgreSQL
public import IdentityKit
internal import IdentityStoreKit

extension PostgresStore: SessionAttachmentStore {
    /// The attachment that a session has under a name; nil if the session has no such attachment.
    ///
    /// - Throws: `IdentityError`, for example with code `store_unavailable`; with code `store_corrupt` when the attachment is damaged or in
    ///   quarantine, and with code `store_key_mismatch` when this process does not have the attachment's key.
    public func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? {
        let hash = try records.hash(ofAttachment: name, of: id)
        let found = try await find(sql.readAttachment, hash, .attachment)
        guard let row = found.map(SealedAttachment.init) else { return nil }
        return SessionAttachment(payload: try records.open(row, of: id).payload, revision: row.revision)
    }

    /// Adds, replaces or removes an attachment; false if its revision is not the expected one or the session does not exist.
    ///
    /// If `payload` is nil, the attachment is removed. If `revision` is nil, the session must not have an attachment with this name.
    ///
    /// In one rare case, this call stores a removed attachment again: the response to its insertion was lost, and another caller removed
    /// the attachment before this call repeated the insertion.
    ///
    /// - Throws: `IdentityError`; of kind `retryLater`, usually with code `store_unavailable`, also when it is unknown whether the change
    ///   took effect; with code `store_record_too_large` for a payload that does not fit; with code `store_corrupt` if a new attachment
    ///   cannot be added because the session's row is damaged.
    public func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool {
        let (hash, session) = (try records.hash(ofAttachment: name, of: id), try records.hash(of: id))
        guard let next = try records.revision(after: revision) else { return false }
        guard let payload else { return try await removeAttachment(hash, session, revision) }
        let row = try records.seal(payload, as: name, of: id, revision: next)
        let (statement, owner): (Statement, [Value]) =
            if let revision {
                (sql.replaceAttachment, [.integer(revision)])
            } else {
                (sql.insertAttachment, [.key(session), .bytes(session)])
            }
        let values = [.key(hash), .bytes(hash)] + owner + [.integer(next), .bytes(row.record)]
        return try await client.repeating { deadline, isInDoubt in
            if try await change(statement, values, deadline) { return true }
            if isInDoubt, try await isStored(payload, row, of: id, deadline) { return true }
            // The insertion also finds no session if the hash in the session's row is damaged. In that case `hasSession` throws.
            if revision == nil { _ = try await hasSession(session, deadline) }
            return false
        }
    }

    /// Returns the attachments of a session that can be opened; the transaction must have locked the session's row.
    ///
    /// Attachments that cannot be opened go to quarantine. PostgreSQL removes the others together with the session's row.
    func takeAttachments(
        of id: SessionID,
        _ session: [UInt8],
        in transaction: Transaction
    ) async throws -> [String: Secret] {
        var payloads: [String: Secret] = [:]
        var last: Int64 = -1
        while true {
            let chunk = Int64(records.chunk)
            let rows = try await transaction.run(sql.readAttachments, .key(session), .integer(last), .integer(chunk))
            for found in rows.all {
                last = found.integer(0)
                let row = SealedAttachment(found)
                do {
                    let (name, payload) = try records.open(row, of: id)
                    payloads[name] = payload
                } catch {
                    guard error.concernsRecord else { throw error }
                    _ = try await transaction.run(
                        sql.quarantine(.attachment),
                        .integer(last),
                        .integer(row.revision),
                        .bytes(row.record)
                    )
                }
            }
            guard rows.count == chunk else { return payloads }
        }
    }

    private func hasSession(_ hash: [UInt8], _ deadline: ContinuousClock.Instant) async throws -> Bool {
        try await isThere(currentRow(sql.hasSession, hash, deadline), hash)
    }

    private func removeAttachment(_ hash: [UInt8], _ session: [UInt8], _ revision: Int64?) async throws -> Bool {
        guard let revision else {
            guard try await client.find(sql.readAttachment, .key(hash)).isEmpty else { return false }
            return try await client.repeating { deadline, _ in try await hasSession(session, deadline) }
        }
        return try await client.repeating { deadline, isInDoubt in
            if try await change(sql.deleteAttachment, [.key(hash), .bytes(hash), .integer(revision)], deadline) {
                return true
            }
            // No attachment has this revision. If an earlier run of this call may have taken effect, it is unknown whether that run removed
            // the attachment, or whether another caller removed or replaced it.
            if isInDoubt { throw PostgresFailure(.outcomeUnknown) }
            return false
        }
    }

    /// Whether an earlier run of the call, whose response was lost, has saved the attachment.
    ///
    /// Throws if the stored attachment has a later revision, because a later revision does not show what the earlier run did.
    private func isStored(
        _ payload: Secret,
        _ saved: SealedAttachment,
        of id: SessionID,
        _ deadline: ContinuousClock.Instant
    ) async throws -> Bool {
        let found = try await currentRow(sql.readAttachment, saved.hash, deadline)
        guard let row = found.map(SealedAttachment.init) else { return false }
        if row.revision > saved.revision { throw PostgresFailure(.outcomeUnknown) }
        guard row.revision == saved.revision else { return false }
        return try row.record == saved.record || records.open(row, of: id).payload.isEqual(to: payload)
    }
}
#endif
