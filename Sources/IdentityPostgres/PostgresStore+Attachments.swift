public import IdentityKit
internal import IdentityStoreKit

extension PostgresStore: SessionAttachmentStore {
    /// What is attached under a name.
    public func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? {
        let hash = try records.attachmentHash(name, id)
        guard let row = try await client.find(sql.readAttachment, .key(hash)).first else {
            try await refuseQuarantined(.attachment, hash)
            return nil
        }
        guard row.bytes(2) == hash else { throw IdentityError.damagedHash }
        let revision = row.integer(0)
        let payload = try records.attachment(row.bytes(1), hash: hash, revision: revision).payload
        return SessionAttachment(payload: payload, revision: revision)
    }

    /// Attaches, replaces or removes.
    ///
    /// - Throws: `store_unavailable` also where it cannot be known whether it was done.
    public func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool {
        let session = try records.sessionHash(id)
        let hash = try records.attachmentHash(name, id)
        let (next, isTooHigh) = try (revision ?? Records.firstRevision()).addingReportingOverflow(1)
        guard !isTooHigh else { return false }
        guard let payload else { return try await removeAttachment(hash, session, revision) }
        let slot = try records.attachmentSlot(payload, name: name, hash: hash, revision: next)
        return try await client.repeating { deadline, isInDoubt in
            let isDone =
                if let revision {
                    try await change(
                        sql.replaceAttachment,
                        [.key(hash), .bytes(hash), .integer(revision), .integer(next), .bytes(slot)],
                        deadline
                    )
                } else {
                    try await change(
                        sql.insertAttachment,
                        [.key(hash), .bytes(hash), .key(session), .bytes(session), .integer(next), .bytes(slot)],
                        deadline
                    )
                }
            guard !isDone else { return true }
            if isInDoubt, try await isStored(payload, slot, hash: hash, revision: next, deadline) { return true }
            // An insertion finds no session also where the hash of its row is damaged.
            if revision == nil { _ = try await hasSession(session, deadline) }
            return false
        }
    }

    /// Removes what is attached to a session that was just locked, and gives what could be opened; the rest goes to quarantine.
    ///
    /// What cannot be opened must not keep a buyer signed in.
    func takeAttachments(
        of id: SessionID,
        _ session: [UInt8],
        in transaction: Transaction
    ) async throws -> [String: Secret] {
        var payloads: [String: Secret] = [:]
        for row in try await transaction.run(sql.readAttachments, .key(session)).all {
            let (revision, slot, hash) = (row.integer(0), row.bytes(1), row.bytes(2))
            do {
                let (name, payload) = try records.attachment(slot, hash: hash, revision: revision)
                // The column that names the session is not sealed; the hash is.
                guard try records.attachmentHash(name, id) == hash else { throw IdentityError.foreignAttachment }
                payloads[name] = payload
            } catch {
                let failure = IdentityError.wrapping(error)
                guard failure.concernsRecord else { throw failure }
                _ = try await transaction.run(
                    sql.quarantine(.attachment),
                    .integer(row.integer(3)),
                    .integer(revision),
                    .bytes(slot)
                )
            }
        }
        return payloads
    }

    /// Whether there is such a session, on a server that takes writes.
    private func hasSession(_ hash: [UInt8], _ deadline: ContinuousClock.Instant) async throws -> Bool {
        let rows = try await client.perform(sql.hasSession, [.key(hash)], needsWriting: true, by: deadline)
        guard let row = rows.first else { return false }
        guard row.bytes(0) == hash else { throw IdentityError.damagedHash }
        return true
    }

    private func removeAttachment(_ hash: [UInt8], _ session: [UInt8], _ revision: Int64?) async throws -> Bool {
        let name: [Value] = [.key(hash), .bytes(hash)]
        guard let revision else {
            guard try await client.find(sql.readAttachment, .key(hash)).isEmpty else { return false }
            return try await client.repeating { deadline, _ in try await hasSession(session, deadline) }
        }
        return try await client.repeating { deadline, isInDoubt in
            if try await change(sql.deleteAttachment, name + [.integer(revision)], deadline) { return true }
            // Gone, maybe by an earlier run of ours, maybe by somebody else.
            if isInDoubt { throw PostgresFailure(.timedOut) }
            return false
        }
    }

    /// Whether what may have been attached is what is there now.
    private func isStored(
        _ payload: Secret,
        _ slot: [UInt8],
        hash: [UInt8],
        revision: Int64,
        _ deadline: ContinuousClock.Instant
    ) async throws -> Bool {
        let rows = try await client.perform(
            sql.readAttachment,
            [.key(hash)],
            needsWriting: true,
            by: deadline
        )
        guard let row = rows.first else { return false }
        if row.integer(0) > revision { throw PostgresFailure(.timedOut) }
        guard row.integer(0) == revision else { return false }
        return try row.bytes(1) == slot
            || records.attachment(row.bytes(1), hash: hash, revision: revision).payload.isEqual(to: payload)
    }
}
