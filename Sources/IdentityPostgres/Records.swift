internal import FoundationEssentials
internal import IdentityKit
internal import IdentityStoreKit

/// Rows between their two forms: what stands in the clear and what is sealed.
struct Records: Sendable {
    let sealer: RecordSealer
    let lookup: LookupKey

    // MARK: Names

    func sessionHash(_ id: SessionID) throws -> [UInt8] {
        try lookup.hash(.session, Array(id.rawValue.utf8))
    }

    func lockHash(_ name: LockName) throws -> [UInt8] {
        try lookup.hash(.lock, name.bytes)
    }

    func buyerHash(issuer: String, subject: String) throws -> [UInt8] {
        try lookup.hash(.buyer, Array(issuer.utf8), Array(subject.utf8))
    }

    func providerSessionHash(_ name: String) throws -> [UInt8] {
        try lookup.hash(.providerSession, Array(name.utf8))
    }

    func attachmentHash(_ name: String, _ id: SessionID) throws -> [UInt8] {
        try lookup.hash(.attachment, Array(id.rawValue.utf8), Array(name.utf8))
    }

    func attemptHash(_ key: String) throws -> [UInt8] {
        try lookup.hash(.loginAttempt, Array(key.utf8))
    }

    func usedTokenHash(_ key: String) throws -> [UInt8] {
        try lookup.hash(.usedToken, Array(key.utf8))
    }

    // MARK: Sessions

    /// A session ready to be saved.
    struct SealedRow: Sendable {
        let hash: [UInt8]
        let slot: [UInt8]
        /// The values of all columns, in the order of the statements that write a session.
        let values: [Value]
    }

    func seal(_ session: StoredSession) throws -> SealedRow {
        let hash = try sessionHash(session.id)
        let buyer = try buyerHash(issuer: session.issuer, subject: session.subject)
        let identity = SealedSession.identity(of: session, row: hash, buyer: buyer)
        let slot = try sealer.seal(SealedSession.body(of: session), as: identity)
        let name = try session.providerSessionID.map { Value.bytes(try providerSessionHash($0)) } ?? .null
        return SealedRow(
            hash: hash,
            slot: slot,
            values: [
                .key(hash), .bytes(hash), .bytes(buyer), .text(session.tenant), .text(session.provider),
                .text(session.issuer), .integer(session.generation), .date(session.retainedUntil), .bytes(slot), name,
                // What is saved now has not come back with a backup.
                .flag(session.isUnsettled), .flag(false),
            ]
        )
    }

    /// Opens a row of ``Statements/sessionColumns`` that was found by the key of this hash.
    func session(_ row: Row, hash: [UInt8]) throws -> StoredSession {
        guard row.bytes(6) == hash else { throw IdentityError.damagedHash }
        return try session(row)
    }

    /// Opens a row of ``Statements/sessionColumns``.
    func session(_ row: Row) throws -> StoredSession {
        let identity = RecordIdentity(
            .session,
            row: row.bytes(6),
            tenant: row.text(1),
            provider: row.text(2),
            issuer: row.text(3),
            buyer: row.bytes(0),
            generation: row.integer(4)
        )
        guard var session = SealedSession.session(from: try sealer.open(row.bytes(5), as: identity), identity: identity)
        else { throw IdentityError.storeCorrupt("A stored session cannot be read.") }
        session.isUnsettled = row.flag(8)
        session.isRestored = row.flag(9)
        return session
    }

    // MARK: Pending logins

    func attemptSlot(_ attempt: StoredLoginAttempt, hash: [UInt8]) throws -> [UInt8] {
        var body = FieldWriter(capacity: attempt.payload.count + 64)
        body.append(attempt.key)
        body.append(attempt.expiresAt.timeIntervalSinceReferenceDate.bitPattern)
        body.append(attempt.payload.revealBytes())
        return try sealer.seal(body.bytes, as: RecordIdentity(.loginAttempt, row: hash, tenant: attempt.tenant))
    }

    func attempt(_ slot: [UInt8], hash: [UInt8], tenant: String) throws -> StoredLoginAttempt {
        var reader = FieldReader(try sealer.open(slot, as: RecordIdentity(.loginAttempt, row: hash, tenant: tenant)))
        guard let key = reader.text(), let expiresAt = reader.integer(UInt64.self),
            let payload = reader.field(), reader.isAtEnd
        else { throw IdentityError.storeCorrupt("A pending login cannot be read.") }
        return StoredLoginAttempt(
            key: key,
            tenant: tenant,
            expiresAt: Date(timeIntervalSinceReferenceDate: Double(bitPattern: expiresAt)),
            payload: Secret(bytes: Array(payload))
        )
    }

    // MARK: Attachments

    /// Where the revisions of something new begin.
    ///
    /// At random, so that what was attached before under the same name is never taken for it.
    static func firstRevision() throws -> Int64 {
        let number = try SystemRandom().bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return StoredSession.firstGeneration + Int64(number >> 2)
    }

    func attachmentSlot(_ payload: Secret, name: String, hash: [UInt8], revision: Int64) throws -> [UInt8] {
        var body = FieldWriter(capacity: payload.count + 64)
        body.append(name)
        body.append(payload.revealBytes())
        return try sealer.seal(body.bytes, as: RecordIdentity(.attachment, row: hash, generation: revision))
    }

    func attachment(_ slot: [UInt8], hash: [UInt8], revision: Int64) throws -> (name: String, payload: Secret) {
        var reader = FieldReader(
            try sealer.open(slot, as: RecordIdentity(.attachment, row: hash, generation: revision))
        )
        guard let name = reader.text(), let payload = reader.field(), reader.isAtEnd else {
            throw IdentityError.storeCorrupt("Something attached to a session cannot be read.")
        }
        return (name, Secret(bytes: Array(payload)))
    }
}
