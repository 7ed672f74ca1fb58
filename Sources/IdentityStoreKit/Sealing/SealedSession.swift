internal import FoundationEssentials
package import IdentityKit

/// A session between its two forms: what a store's row shows, and what is sealed in its slot.
package enum SealedSession {
    /// Who a session's record belongs to.
    package static func identity(
        of session: StoredSession,
        row: [UInt8],
        buyer: [UInt8]
    ) -> RecordIdentity {
        RecordIdentity(
            .session,
            row: row,
            tenant: session.tenant,
            provider: session.provider,
            issuer: session.issuer,
            buyer: buyer,
            generation: session.generation
        )
    }

    /// What is sealed: everything that the row does not show, and the exact times.
    ///
    /// The provider's name for the session stands last, where there is one: records that were sealed before it was known are
    /// read as before.
    package static func body(of session: StoredSession) -> [UInt8] {
        var body = FieldWriter(capacity: session.payload.count + 128)
        body.append(session.id.rawValue)
        body.append(session.subject)
        body.append(session.createdAt.timeIntervalSinceReferenceDate.bitPattern)
        body.append(session.retainedUntil.timeIntervalSinceReferenceDate.bitPattern)
        body.append(session.payload.revealBytes())
        if let name = session.providerSessionID { body.append(name) }
        return body.bytes
    }

    /// The session again; nil when the body is none.
    package static func session(from body: ArraySlice<UInt8>, identity: RecordIdentity) -> StoredSession? {
        var reader = FieldReader(body)
        guard let id = reader.text().flatMap(SessionID.init(rawValue:)), let subject = reader.text(),
            let createdAt = reader.integer(UInt64.self), let retainedUntil = reader.integer(UInt64.self),
            let payload = reader.field()
        else { return nil }
        var providerSessionID: String?
        if !reader.isAtEnd {
            guard let name = reader.text() else { return nil }
            providerSessionID = name
        }
        guard reader.isAtEnd else { return nil }
        return StoredSession(
            id: id,
            provider: identity.provider,
            tenant: identity.tenant,
            issuer: identity.issuer,
            subject: subject,
            providerSessionID: providerSessionID,
            generation: identity.generation,
            createdAt: Date(timeIntervalSinceReferenceDate: Double(bitPattern: createdAt)),
            retainedUntil: Date(timeIntervalSinceReferenceDate: Double(bitPattern: retainedUntil)),
            payload: Secret(bytes: Array(payload))
        )
    }
}
