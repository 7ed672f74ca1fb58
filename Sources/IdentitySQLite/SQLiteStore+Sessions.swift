public import IdentityKit

extension SQLiteStore: TokenStore, PartialSessionListing {
    private static let listChunk: Int64 = 128

    /// Adds a new session.
    public func insert(_ session: StoredSession) async throws {
        let row = try seal(session)
        let isNew = try await database.write { connection in
            try connection.run(
                .insertSession,
                .key(row.hash),
                .bytes(row.hash),
                .bytes(row.buyer),
                .text(session.tenant),
                .text(session.provider),
                .text(session.issuer),
                .integer(session.generation),
                .date(session.retainedUntil),
                .bytes(row.slot),
                row.providerSession
            ) == 1
        }
        guard isNew else {
            throw IdentityError(.rejected, .storeFailed, "A session with this id is already stored.")
        }
    }

    /// The session with this id.
    public func session(_ id: SessionID) async throws -> StoredSession? {
        let hash = try lookup.hash(.session, Array(id.rawValue.utf8))
        let row = try await database.read { connection in
            try connection.first(.readSession, .key(hash), .bytes(hash)) { SessionRow($0, hash: hash) }
        }
        return try row.map { try open($0) }
    }

    /// Replaces a session of the expected generation.
    public func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        let row = try seal(session)
        return try await database.write { connection in
            for query in [Query.replaceSession, .moveSession] {
                let changed = try connection.run(
                    query,
                    .key(row.hash),
                    .bytes(row.hash),
                    .integer(generation),
                    .integer(session.generation),
                    .date(session.retainedUntil),
                    .bytes(row.slot),
                    .bytes(row.buyer),
                    .text(session.tenant),
                    .text(session.provider),
                    .text(session.issuer),
                    row.providerSession
                )
                if changed == 1 { return true }
            }
            return false
        }
    }

    /// Removes a session with its attachments.
    public func remove(_ id: SessionID) async throws -> RemovedSession? {
        let hash = try lookup.hash(.session, Array(id.rawValue.utf8))
        return try await database.write { [self] connection in
            let row = try connection.first(.readSession, .key(hash), .bytes(hash)) { SessionRow($0, hash: hash) }
            guard let row else { return nil }
            let attached = try connection.all(.readAttachments, .key(hash)) { statement in
                (hash: statement.bytes(0), revision: statement.integer(1), slot: statement.bytes(2))
            }
            var removed = RemovedSession(session: try open(row), attachments: [:])
            for attachment in attached {
                let (name, payload) = try openAttachment(
                    attachment.slot,
                    hash: attachment.hash,
                    revision: attachment.revision
                )
                removed.attachments[name] = payload
            }
            _ = try connection.run(.deleteAttachments, .key(hash))
            _ = try connection.run(.deleteSession, .key(hash))
            return removed
        }
    }

    /// The sessions that match, oldest first.
    ///
    /// Rows that cannot be opened are left out of a list of all; one that belongs to the buyer or to the provider's session that is
    /// asked for makes the call fail, for the list would pass for the whole.
    public func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        let (found, damage) = try await readableSessions(matching: filter)
        if let damage, filter.buyer != nil || filter.providerSessionID != nil { throw damage }
        return found
    }

    /// The sessions that match and can be opened, oldest first, and the first error of those that cannot.
    package func readableSessions(
        matching filter: SessionFilter
    ) async throws -> (sessions: [StoredSession], damage: IdentityError?) {
        let (query, hash): (Query, Value)
        if let buyer = filter.buyer {
            (query, hash) = (.listSessionsOfBuyer, .bytes(try buyerHash(issuer: buyer.issuer, subject: buyer.subject)))
        } else if let name = filter.providerSessionID {
            (query, hash) = (.listSessionsOfProviderSession, .bytes(try providerSessionHash(name)))
        } else {
            (query, hash) = (.listSessions, .null)
        }
        let provider = filter.provider.map(Value.text) ?? .null
        let tenant = filter.tenant.map(Value.text) ?? .null
        var found: [StoredSession] = []
        var damage: IdentityError?
        var last: Int64 = -1
        while true {
            let after = last
            let rows = try await database.read { connection in
                try connection.all(
                    query,
                    .integer(after),
                    provider,
                    tenant,
                    .integer(Self.listChunk),
                    hash
                ) { (key: $0.integer(7), row: SessionRow($0, hash: $0.bytes(6))) }
            }
            for (_, row) in rows {
                do {
                    let session = try open(row)
                    if filter.matches(session) { found.append(session) }
                } catch {
                    damage = damage ?? .wrapping(error)
                }
            }
            guard rows.count == Self.listChunk, let key = rows.last?.key else { break }
            last = key
        }
        return (found.sorted { ($0.createdAt, $0.id.rawValue) < ($1.createdAt, $1.id.rawValue) }, damage)
    }

    // MARK: Sealing

    private func seal(
        _ session: StoredSession
    ) throws -> (hash: [UInt8], buyer: [UInt8], providerSession: Value, slot: [UInt8]) {
        let hash = try lookup.hash(.session, Array(session.id.rawValue.utf8))
        let buyer = try buyerHash(issuer: session.issuer, subject: session.subject)
        let identity = SealedSession.identity(of: session, row: hash, buyer: buyer)
        let providerSession = try session.providerSessionID.map { Value.bytes(try providerSessionHash($0)) } ?? .null
        return (hash, buyer, providerSession, try sealer.seal(SealedSession.body(of: session), as: identity))
    }

    func open(_ row: SessionRow) throws -> StoredSession {
        let body = try sealer.open(row.slot, as: row.identity)
        guard let session = SealedSession.session(from: body, identity: row.identity) else {
            throw IdentityError.storeCorrupt("A stored session cannot be read.")
        }
        return session
    }

    private func buyerHash(issuer: String, subject: String) throws -> [UInt8] {
        try lookup.hash(.buyer, Array(issuer.utf8), Array(subject.utf8))
    }

    private func providerSessionHash(_ name: String) throws -> [UInt8] {
        try lookup.hash(.providerSession, Array(name.utf8))
    }
}

/// A session as its row shows it.
struct SessionRow: Sendable {
    let identity: RecordIdentity
    let slot: [UInt8]

    /// Reads the columns buyer, tenant, provider, issuer, generation, slot.
    init(_ statement: Statement, hash: [UInt8]) {
        identity = RecordIdentity(
            .session,
            row: hash,
            tenant: statement.text(1),
            provider: statement.text(2),
            issuer: statement.text(3),
            buyer: statement.bytes(0),
            generation: statement.integer(4)
        )
        slot = statement.bytes(5)
    }
}
