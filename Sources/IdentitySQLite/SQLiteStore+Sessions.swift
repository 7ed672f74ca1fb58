public import IdentityKit
internal import IdentityStoreKit

extension SQLiteStore: TokenStore {
    private static let origin = Value.text(SealedTable.session.name)

    /// Adds a new session.
    ///
    /// - Throws: `IdentityError` of kind `retryLater` with code `store_full` when its tenant has as many as it may have.
    public func insert(_ session: StoredSession) async throws {
        let row = try seal(session)
        let isNew = try await database.write { [maximumSessionsPerTenant] connection in
            if let maximum = maximumSessionsPerTenant {
                try Self.requireRoom(connection, tenant: session.tenant, maximum)
            }
            guard
                try connection.first(.isQuarantined, .key(row.hash), .bytes(row.hash), Self.origin, read: { _ in true })
                    == nil
            else { return false }
            return try connection.run(
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
                row.providerSession,
                .flag(session.isUnsettled)
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
            try Self.row(hash, connection)
        }
        return try row.map { try open($0) }
    }

    /// Replaces a session of the expected generation.
    ///
    /// A row never becomes shorter: the room that it once took is there for the next long answer, also when the disk is full.
    public func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        let row = try seal(session)
        return try await database.write { [self] connection in
            // What is as long as the row, or longer: then the row has to grow.
            if try Self.update(row, session, generation, connection) { return true }
            let length = try connection.first(.sessionLength, .key(row.hash), .bytes(row.hash), .integer(generation)) {
                Int($0.integer(0))
            }
            guard let length else {
                if try !Self.hasSession(row.hash, connection) {
                    try Self.refuseQuarantined(.session, row.hash, connection)
                }
                return false
            }
            return try Self.update(seal(session, atLeast: length), session, generation, connection)
        }
    }

    private static func requireRoom(_ connection: Connection, tenant: String, _ maximum: Int) throws {
        guard connection.sessionRoom.mustCount(tenant, maximum) else { return }
        let count = try connection.first(.countSessionsOfTenant, .text(tenant)) { Int($0.integer(0)) } ?? 0
        guard count >= maximum else { return }
        connection.sessionRoom.refuse(tenant)
        throw IdentityError.tenantFull
    }

    private static func update(
        _ row: SealedSessionRow,
        _ session: StoredSession,
        _ generation: Int64,
        _ connection: Connection
    ) throws -> Bool {
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
                row.providerSession,
                .flag(session.isUnsettled),
                .integer(Int64(row.slot.count))
            )
            if changed == 1 { return true }
        }
        return false
    }

    /// Removes a session with its attachments.
    ///
    /// Attachments that cannot be opened go into quarantine and are not among what is given back: who logs out must be logged out.
    public func remove(_ id: SessionID) async throws -> RemovedSession? {
        let hash = try lookup.hash(.session, Array(id.rawValue.utf8))
        return try await database.write { [self] connection in
            guard let row = try Self.row(hash, connection) else { return nil }
            let session = try open(row)
            let attachments = try takeAttachments(of: id, key: .key(hash), connection)
            _ = try connection.run(.deleteSession, .key(hash))
            return RemovedSession(session: session, attachments: attachments)
        }
    }

    // MARK: Looking up

    /// The row of a session; fails when it is in quarantine, or shows that it is damaged.
    private static func row(_ hash: [UInt8], _ connection: Connection) throws -> SessionRow? {
        let found = try connection.first(.readSession, .key(hash), .bytes(hash)) {
            (row: SessionRow($0, hash: hash), isIntact: $0.integer(8) == 1)
        }
        guard let found else {
            try refuseQuarantined(.session, hash, connection)
            return nil
        }
        guard found.isIntact else { throw damagedHash }
        return found.row
    }

    /// Whether there is such a session; fails when its row shows that it is damaged.
    static func hasSession(_ hash: [UInt8], _ connection: Connection) throws -> Bool {
        let isIntact = try connection.first(.hasSession, .key(hash), .bytes(hash)) { $0.integer(0) == 1 }
        guard isIntact != false else { throw damagedHash }
        return isIntact == true
    }

    /// A row stands where a session's should, and has another hash.
    private static var damagedHash: IdentityError {
        IdentityError.storeCorrupt("The row of a stored session is damaged.")
    }

    // MARK: Sealing

    /// Seals a session for its row.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - length: A length that the row has already.
    /// - Returns: The sealed row.
    /// - Throws: `IdentityError` when the session cannot be sealed.
    private func seal(_ session: StoredSession, atLeast length: Int = 0) throws -> SealedSessionRow {
        let hash = try lookup.hash(.session, Array(session.id.rawValue.utf8))
        let buyer = try buyerHash(issuer: session.issuer, subject: session.subject)
        let identity = SealedSession.identity(of: session, row: hash, buyer: buyer)
        let providerSession = try session.providerSessionID.map { Value.bytes(try providerSessionHash($0)) } ?? .null
        let slot = try sealer.seal(SealedSession.body(of: session), as: identity, atLeast: length)
        return SealedSessionRow(hash: hash, buyer: buyer, providerSession: providerSession, slot: slot)
    }

    func open(_ row: SessionRow) throws -> StoredSession {
        let body = try sealer.open(row.slot, as: row.identity)
        guard var session = SealedSession.session(from: body, identity: row.identity) else {
            throw IdentityError.storeCorrupt("A stored session cannot be read.")
        }
        session.isUnsettled = row.isUnsettled
        session.isRestored = row.isRestored || isCopy
        return session
    }

    func buyerHash(issuer: String, subject: String) throws -> [UInt8] {
        try lookup.hash(.buyer, Array(issuer.utf8), Array(subject.utf8))
    }

    func providerSessionHash(_ name: String) throws -> [UInt8] {
        try lookup.hash(.providerSession, Array(name.utf8))
    }
}

/// A session as its row will show it.
private struct SealedSessionRow: Sendable {
    let hash: [UInt8]
    let buyer: [UInt8]
    let providerSession: Value
    let slot: [UInt8]
}
