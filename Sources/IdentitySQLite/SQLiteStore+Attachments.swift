public import IdentityKit
internal import IdentityStoreKit

extension SQLiteStore: SessionAttachmentStore {
    /// What is attached under a name.
    public func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? {
        let hash = try attachmentHash(name, id)
        let row = try await database.read { connection in
            let row = try connection.first(.readAttachment, .key(hash), .bytes(hash)) {
                (revision: $0.integer(0), slot: $0.bytes(1), isIntact: $0.integer(2) == 1)
            }
            if row == nil { try Self.refuseQuarantined(.attachment, hash, connection) }
            guard row?.isIntact != false else {
                throw IdentityError.storeCorrupt("The row of something attached to a session is damaged.")
            }
            return row
        }
        guard let row else { return nil }
        let payload = try openAttachment(row.slot, hash: hash, revision: row.revision).payload
        return SessionAttachment(payload: payload, revision: row.revision)
    }

    /// Attaches, replaces or removes.
    public func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool {
        let session = try lookup.hash(.session, Array(id.rawValue.utf8))
        let hash = try attachmentHash(name, id)
        let (next, isTooHigh) = try (revision ?? Self.randomRevision()).addingReportingOverflow(1)
        guard !isTooHigh else { return false }
        let slot = try payload.map { payload in
            var body = FieldWriter(capacity: payload.count + 64)
            body.append(name)
            body.append(payload.revealBytes())
            return try sealer.seal(body.bytes, as: RecordIdentity(.attachment, row: hash, generation: next))
        }
        return try await database.write { connection in
            guard try Self.hasSession(session, connection) else { return false }
            switch (slot, revision) {
            case (let slot?, nil):
                return try connection.run(
                    .insertAttachment,
                    .key(hash),
                    .bytes(hash),
                    .key(session),
                    .integer(next),
                    .bytes(slot)
                ) == 1
            case (let slot?, let revision?):
                return try connection.run(
                    .replaceAttachment,
                    .key(hash),
                    .bytes(hash),
                    .integer(revision),
                    .integer(next),
                    .bytes(slot)
                ) == 1
            case (nil, let revision?):
                return try connection.run(.deleteAttachment, .key(hash), .bytes(hash), .integer(revision)) == 1
            case (nil, nil):
                return try connection.first(.readAttachment, .key(hash), .bytes(hash)) { _ in true } == nil
            }
        }
    }

    /// Removes a session's attachments, and gives what could be opened; the rest goes into quarantine.
    func takeAttachments(of id: SessionID, key: Value, _ connection: Connection) throws -> [String: Secret] {
        let rows = try connection.all(.readAttachments, key) { statement in
            (
                hash: statement.bytes(0), revision: statement.integer(1), slot: statement.bytes(2),
                key: statement.integer(3)
            )
        }
        var payloads: [String: Secret] = [:]
        for row in rows {
            do {
                let (name, payload) = try openAttachment(row.slot, hash: row.hash, revision: row.revision)
                // The column that names the session is not sealed; the hash is.
                guard try attachmentHash(name, id) == row.hash else {
                    throw IdentityError.storeCorrupt("Something attached to a session is another's.")
                }
                payloads[name] = payload
            } catch {
                let failure = IdentityError.wrapping(error)
                guard failure.concernsRecord else { throw failure }
                _ = try connection.run(
                    .quarantineAttachment,
                    .integer(row.key),
                    .text(failure.message),
                    .date(clock.now),
                    .bytes(row.slot)
                )
            }
        }
        _ = try connection.run(.deleteAttachments, key)
        return payloads
    }

    private func openAttachment(
        _ slot: [UInt8],
        hash: [UInt8],
        revision: Int64
    ) throws -> (name: String, payload: Secret) {
        var reader = FieldReader(
            try sealer.open(slot, as: RecordIdentity(.attachment, row: hash, generation: revision))
        )
        guard let name = reader.text(), let payload = reader.field(), reader.isAtEnd else {
            throw IdentityError.storeCorrupt("Something attached to a session cannot be read.")
        }
        return (name, Secret(bytes: Array(payload)))
    }

    /// Where the revisions of something new begin: what was removed and attached again must not pass for what it was before.
    ///
    /// As high as generations, for the same reason, and of the same stored width up to its end.
    private static func randomRevision() throws -> Int64 {
        let random = try SystemRandom().bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return StoredSession.firstGeneration + Int64(random >> 18)
    }

    private func attachmentHash(_ name: String, _ id: SessionID) throws -> [UInt8] {
        try lookup.hash(.attachment, Array(id.rawValue.utf8), Array(name.utf8))
    }
}
