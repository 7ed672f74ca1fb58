public import IdentityKit
internal import IdentityStoreKit

extension SQLiteStore: SessionReplacing {
    /// Adds a new session.
    ///
    /// - Throws: `IdentityError` of the store; of kind `retryLater` with code `store_full` when the session's tenant has the maximum number
    ///   of sessions; of kind `rejected` when a session with this id already exists or is in quarantine.
    public func insert(_ session: StoredSession) async throws {
        try await insert(session, maximum: maximumSessionsPerTenant)
    }

    package func insertReplacement(_ session: StoredSession) async throws {
        try await insert(session, maximum: nil)
    }

    private func insert(_ session: StoredSession, maximum: Int?) async throws {
        let row = try records.seal(session)
        let isNew = try await database.write { connection in
            if let maximum { try Self.requireRoom(connection, tenant: session.tenant, maximum) }
            guard try !connection.isQuarantined(row.hash, .session) else { return false }
            return try connection.run(.insertSession, row.columnValues) == 1
        }
        guard isNew else { throw IdentityError.sessionExists }
    }

    /// The session with an id; nil if it does not exist.
    ///
    /// - Throws: `IdentityError`; with code `store_corrupt` when the session is damaged or in quarantine, and with code
    ///   `store_key_mismatch` when this process does not have the session's key.
    public func session(_ id: SessionID) async throws -> StoredSession? {
        let hash = try records.hash(of: id)
        let row = try await database.readRow { connection in
            try connection.session(hash)
        }
        return try row.map { try open($0, named: hash) }
    }

    /// Replaces a session; false if its row has another generation than the expected one, or does not exist.
    ///
    /// A row never becomes shorter, so that a later record of the same length can be saved on a full disk too.
    ///
    /// - Throws: `IdentityError`, for example with code `store_busy` or `store_full` (both of kind `retryLater`), `store_record_too_large`,
    ///   or `store_corrupt` when the row has a damaged hash or is in quarantine.
    public func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        let row = try records.seal(session)
        return try await database.write { [records] connection in
            // `update` does not change the row if the new record is shorter. Then the session is encrypted again, with the old length.
            if try connection.update(row, generation) { return true }
            let length = try connection.first(.sessionLength, .key(row.hash), .bytes(row.hash), .integer(generation)) {
                Int($0.integer(0))
            }
            guard let length else {
                if try !connection.hasSession(row.hash) { try connection.refuseQuarantined(row.hash, .session) }
                return false
            }
            return try connection.update(records.seal(session, atLeast: length), generation)
        }
    }

    /// Removes a session with its attachments and returns them; nil if the session does not exist.
    ///
    /// Attachments that cannot be opened go to quarantine and are not returned: a damaged attachment must not keep a buyer logged in.
    ///
    /// - Throws: `IdentityError`, for example with code `store_busy`; with code `store_corrupt` when the session is damaged or in
    ///   quarantine, and with code `store_key_mismatch` when this process does not have the session's key.
    public func remove(_ id: SessionID) async throws -> RemovedSession? {
        let hash = try records.hash(of: id)
        return try await database.write { [self] connection in
            guard let row = try connection.session(hash) else { return nil }
            let session = try open(row, named: hash)
            let attachments = try takeAttachments(of: id, hash, connection)
            _ = try connection.run(.deleteSession, .key(hash))
            return RemovedSession(session: session, attachments: attachments)
        }
    }

    private static func requireRoom(_ connection: Connection, tenant: String, _ maximum: Int) throws {
        guard connection.sessionCounter.addRow(of: tenant, limit: maximum) else { return }
        let count = try connection.first(.countSessionsOfTenant, .text(tenant)) { Int($0.integer(0)) } ?? 0
        guard count >= maximum else { return }
        connection.sessionCounter.removeRow(of: tenant)
        throw IdentityError.tenantFull
    }

    private func open(_ row: SealedSession, named hash: [UInt8]) throws -> StoredSession {
        var session = try records.open(row, named: hash)
        if isCopy { session.isRestored = true }
        return session
    }
}

extension SQLiteStore: PartialSessionListing {
    /// The sessions that match the filter and can be opened, oldest first, and the first error of a session that cannot be opened.
    ///
    /// A session in quarantine that may match also causes the error, unless the filter has `isInDoubt`.
    ///
    /// - Throws: `IdentityError` when the file cannot be read, for example with code `store_busy`.
    public func readableSessions(matching filter: SessionFilter) async throws -> SessionListing {
        let provider = filter.provider.map(ColumnValue.text) ?? .null
        let tenant = filter.tenant.map(ColumnValue.text) ?? .null
        let buyer = try filter.buyer.map { try records.hash(ofBuyer: $0.subject, at: $0.issuer) }.map(ColumnValue.bytes)
        let name = try filter.providerSessionID.map { try records.hash(ofProviderSession: $0) }.map(ColumnValue.bytes)
        // The statement depends on one condition of the filter, so that SQLite uses the index of that condition.
        let (query, value): (Query, ColumnValue) =
            if let buyer {
                (.listSessionsOfBuyer, buyer)
            } else if let name {
                (.listSessionsOfProviderSession, name)
            } else if filter.isInDoubt == true {
                (.listSessionsInDoubt, .null)
            } else if filter.tenant != nil {
                (.listSessionsOfTenant, tenant)
            } else {
                (.listSessions, .null)
            }
        var listing = try await records.listing(matching: filter) {
            try await database.read { connection in
                try connection.first(.isAnyQuarantined, buyer ?? .null, name ?? .null, provider, tenant) { _ in true }
                    != nil
            }
        } rows: { after in
            try await database.read { [limit = Int64(records.chunk)] connection in
                try connection.all(query, .integer(after), .integer(limit), provider, tenant, value) {
                    (key: $0.integer(0), row: SealedSession($0))
                }
            }
        }
        if isCopy { for index in listing.sessions.indices { listing.sessions[index].isRestored = true } }
        return listing
    }
}

extension Connection {
    fileprivate func session(_ hash: [UInt8]) throws -> SealedSession? {
        try find(.readSession, hash, .session, read: SealedSession.init)
    }

    /// Whether a session exists; throws if the row with its key has another hash, because the row is then damaged.
    func hasSession(_ hash: [UInt8]) throws -> Bool {
        let isIntact = try first(.hasSession, .key(hash), .bytes(hash)) { $0.integer(0) == 1 }
        guard isIntact != false else { throw IdentityError.damagedRecord("its row belongs to another session") }
        return isIntact == true
    }

    fileprivate func update(_ row: SealedSession, _ generation: Int64) throws -> Bool {
        for query in [Query.replaceSession, .replaceIndexedSession] {
            if try run(query, row.columnValues + [.integer(generation)]) == 1 { return true }
        }
        return false
    }
}
