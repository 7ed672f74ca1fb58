internal import FoundationEssentials
public import IdentityKit

extension StoreRecords {
    /// Seals a session.
    ///
    /// - Parameters:
    ///   - session: The session to save.
    ///   - length: The length of the row's current record. The new record is at least as long, so that a database that
    ///     overwrites rows in place needs no more space. Zero, the default, for a new row.
    /// - Returns: The columns of the row.
    /// - Throws: `IdentityError` with code `store_record_too_large` when the session or its tenant's name is too long, and with code
    ///   `system_failure` when OpenSSL fails.
    public func seal(_ session: StoredSession, atLeast length: Int = 0) throws(IdentityError) -> SealedSession {
        var row = SealedSession(
            hash: try hash(of: session.id),
            buyer: try hash(ofBuyer: session.subject, at: session.issuer),
            tenant: session.tenant,
            provider: session.provider,
            issuer: session.issuer,
            generation: session.generation,
            retainedUntil: session.retainedUntil,
            isInDoubt: session.isInDoubt,
            record: []
        )
        row.providerSession = try providerSession(of: session)
        row.record = try sealer.seal(Self.body(of: session), as: row.identity, atLeast: length)
        return row
    }

    /// Opens the row that was found under the hash of an id; throws `store_corrupt` if the row belongs to another session.
    public func open(_ row: SealedSession, of id: SessionID) throws(IdentityError) -> StoredSession {
        try open(row, named: hash(of: id))
    }

    package func open(_ row: SealedSession, named hash: [UInt8]) throws(IdentityError) -> StoredSession {
        guard hash == row.hash else { throw .damagedRecord("its row belongs to another session") }
        return try open(row)
    }

    /// Opens a row that was not looked up by the session's id, for example a row of a list.
    public func open(_ row: SealedSession) throws(IdentityError) -> StoredSession {
        let body = try sealer.open(row.record, as: row.identity)
        guard var session = Self.session(from: body, row) else { throw .damagedRecord("its content is not a session") }
        // The encryption does not protect the column `providerSession`. If somebody changed it, a logout that the provider sends would not
        // find the session.
        guard try row.providerSession == providerSession(of: session) else {
            throw .damagedRecord("its row and its encrypted content have different provider session ids")
        }
        session.isInDoubt = row.isInDoubt
        session.isRestored = row.isRestored
        return session
    }

    private func providerSession(of session: StoredSession) throws(IdentityError) -> [UInt8]? {
        guard let name = session.providerSessionID else { return nil }
        return try hash(ofProviderSession: name)
    }

    /// The sessions that match a filter and can be opened, oldest first; `damage` is the first error of a session that cannot be opened.
    ///
    /// `damage` is also set if a session in quarantine may match, unless the filter has a value for `isInDoubt`. `rows` returns the next
    /// rows that may match, in the order of their keys, at most ``chunk``.
    package func listing(
        matching filter: SessionFilter,
        isAnyQuarantined: () async throws -> Bool,
        rows: (_ after: Int64) async throws -> [(key: Int64, row: SealedSession)]
    ) async throws -> SessionListing {
        var listing = SessionListing()
        func noteQuarantine() async throws {
            guard listing.damage == nil, filter.isInDoubt == nil else { return }
            if try await isAnyQuarantined() { listing.damage = .quarantined }
        }
        // While the chunks are read, a session may be moved to quarantine or put back, so that possibly no chunk contains it. The first
        // check finds a session that is put back later. The second check finds a session that was moved to quarantine.
        try await noteQuarantine()
        var last: Int64 = -1
        while true {
            let next = try await rows(last)
            try open(next.map(\.row), matching: filter, into: &listing)
            guard next.count == chunk, let key = next.last?.key else { break }
            last = key
        }
        try await noteQuarantine()
        return listing.oldestFirst
    }

    /// Opens rows, and adds the sessions that match the filter to a listing.
    ///
    /// The listing also gets the first error of a row that cannot be opened.
    ///
    /// - Throws: An error that says nothing about a record, for example that OpenSSL has no memory.
    public func open(
        _ rows: [SealedSession],
        matching filter: SessionFilter,
        into listing: inout SessionListing
    ) throws(IdentityError) {
        for row in rows {
            do {
                let session = try open(row)
                if filter.matches(session) { listing.sessions.append(session) }
            } catch {
                guard error.concernsRecord else { throw error }
                listing.damage = listing.damage ?? error
            }
        }
    }

    /// The content of a record: the data that no column contains in plain text, and a protected copy of the end of retention.
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

    package static func session(from body: ArraySlice<UInt8>, _ row: SealedSession) -> StoredSession? {
        var reader = FieldReader(body)
        guard let id = reader.text().flatMap(SessionID.init(rawValue:)), let subject = reader.text(),
            let createdAt = reader.integer(UInt64.self), let retainedUntil = reader.integer(UInt64.self),
            let payload = reader.field()
        else { return nil }
        var providerSessionID: String?
        if !reader.isAtEnd {
            guard let name = reader.text(), reader.isAtEnd else { return nil }
            providerSessionID = name
        }
        return StoredSession(
            id: id,
            provider: row.provider,
            tenant: row.tenant,
            issuer: row.issuer,
            subject: subject,
            providerSessionID: providerSessionID,
            generation: row.generation,
            createdAt: Date(timeIntervalSinceReferenceDate: Double(bitPattern: createdAt)),
            retainedUntil: Date(timeIntervalSinceReferenceDate: Double(bitPattern: retainedUntil)),
            payload: Secret(bytes: Array(payload))
        )
    }
}
