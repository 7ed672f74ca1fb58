public import IdentityKit
internal import IdentityStoreKit
internal import Synchronization

extension PostgresStore: TokenStore, PartialSessionListing {
    /// Adds a new session.
    ///
    /// - Throws: `IdentityError` of kind `retryLater` with code `store_full` when its tenant has as many as it may have.
    public func insert(_ session: StoredSession) async throws {
        let row = try records.seal(session)
        if let maximumSessionsPerTenant { try await requireRoom(session.tenant, maximumSessionsPerTenant) }
        let isNew = try await client.repeating { deadline, isInDoubt in
            if try await change(sql.insertSession, row.values, deadline) { return true }
            guard isInDoubt else { return false }
            return try await isStored(session, row, deadline) == true
        }
        guard isNew else {
            throw IdentityError(.rejected, .storeFailed, "A session with this id is already stored.")
        }
    }

    /// The session with this id.
    public func session(_ id: SessionID) async throws -> StoredSession? {
        let hash = try records.sessionHash(id)
        if let row = try await client.find(sql.readSession, .key(hash)).first {
            return try records.session(row, hash: hash)
        }
        try await refuseQuarantined(.session, hash)
        return nil
    }

    /// Replaces a session of the expected generation.
    ///
    /// - Throws: `store_unavailable` also where it cannot be known whether it was replaced.
    public func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        let row = try records.seal(session)
        let isReplaced = try await client.repeating { deadline, isInDoubt in
            // Repeated, it is the same row again: the first of the two that takes effect leaves nothing for the other.
            if try await change(sql.replaceSession, row.values + [.integer(generation)], deadline) { return true }
            guard isInDoubt else { return false }
            guard let isOurs = try await isStored(session, row, deadline) else { throw PostgresFailure(.timedOut) }
            return isOurs
        }
        if !isReplaced {
            let found = try await client.find(sql.hasSession, .key(row.hash)).first
            guard found.map({ $0.bytes(0) == row.hash }) ?? true else { throw IdentityError.damagedHash }
            if found == nil { try await refuseQuarantined(.session, row.hash) }
        }
        return isReplaced
    }

    /// Removes a session with its attachments.
    ///
    /// Attachments that cannot be opened, or that belong to another session, go to quarantine and are not among what is given back:
    /// who logs out must be logged out.
    public func remove(_ id: SessionID) async throws -> RemovedSession? {
        let hash = try records.sessionHash(id)
        var last: RemovedSession?
        let removed = try await client.repeating { deadline, isInDoubt -> RemovedSession? in
            try await client.transaction(by: deadline) { transaction in
                guard let row = try await transaction.run(sql.lockSession, .key(hash)).first else {
                    // An earlier run's COMMIT was not answered, and took effect.
                    return isInDoubt ? last : nil
                }
                let session = try records.session(row, hash: hash)
                let attachments = try await takeAttachments(of: id, hash, in: transaction)
                let removed = RemovedSession(session: session, attachments: attachments)
                _ = try await transaction.run(sql.deleteSession, .key(hash), .bytes(hash))
                last = removed
                return removed
            }
        }
        if removed == nil { try await refuseQuarantined(.session, hash) }
        return removed
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
        let provider = filter.provider.map(Value.text) ?? .null
        let tenant = filter.tenant.map(Value.text) ?? .null
        let buyer = try filter.buyer.map { try records.buyerHash(issuer: $0.issuer, subject: $0.subject) }
        let name = try filter.providerSessionID.map { try records.providerSessionHash($0) }
        let statement: Statement
        var conditions = [provider, tenant]
        if let hash = (buyer ?? name).map(Value.bytes) ?? filter.tenant.map(Value.text) {
            statement = sql.listSessions(
                by: buyer != nil ? "buyer" : name != nil ? "provider_session" : "tenant"
            )
            conditions += [filter.isUnsettled.map(Value.flag) ?? .null, hash]
        } else if filter.isUnsettled == true {
            statement = sql.listUnsettledSessions
        } else {
            statement = sql.listSessions
            conditions.append(filter.isUnsettled.map(Value.flag) ?? .null)
        }
        var found: [StoredSession] = []
        var damage: IdentityError?
        var last: Int64 = -1
        while true {
            let values = [.integer(last), .integer(Int64(listChunk))] + conditions
            let rows = try await client.repeating { deadline, _ in
                try await client.perform(statement, values, needsWriting: false, by: deadline)
            }.all
            for row in rows {
                do {
                    let session = try records.session(row)
                    if filter.matches(session) { found.append(session) }
                } catch {
                    let failure = IdentityError.wrapping(error)
                    guard failure.concernsRecord else { throw failure }
                    damage = damage ?? failure
                }
            }
            guard rows.count == listChunk, let row = rows.last else { break }
            last = row.integer(7)
        }
        if damage == nil, filter.isUnsettled == nil {
            let hidden = try await client.read(
                sql.hasQuarantinedSession,
                provider,
                tenant,
                buyer.map(Value.bytes) ?? .null,
                name.map(Value.bytes) ?? .null
            )
            if !hidden.isEmpty { damage = .quarantined }
        }
        return (found.sorted { ($0.createdAt, $0.id.rawValue) < ($1.createdAt, $1.id.rawValue) }, damage)
    }

    /// Marks every session as come back with a backup: their refresh tokens may have been spent since.
    ///
    /// Call it once after the database was restored from a backup, before it is used.
    ///
    /// - Returns: How many sessions were marked.
    public func markAllAsRestored() async throws -> Int {
        var total = 0
        while true {
            let marked = try await client.write(sql.markRestored, .integer(1_000))
            total += marked
            if marked == 0 { return total }
        }
    }

    private func requireRoom(_ tenant: String, _ maximum: Int) async throws {
        guard counters.withLock({ $0.sessions.mustCount(tenant, maximum) }) else { return }
        let rows = try await client.read(sql.countSessionsOfTenant, .text(tenant), .integer(Int64(maximum)))
        guard let count = rows.first?.integer(0), count >= maximum else { return }
        counters.withLock { $0.sessions.refuse(tenant) }
        throw IdentityError.tenantFull
    }

    // MARK: What lists and doubts need

    /// How many rows one answer holds, so that it stays within 4 MiB.
    var listChunk: Int { max(1, min(128, (4 << 20) / records.sealer.slotSize)) }

    /// Runs a statement that changes one row or none.
    func change(
        _ statement: Statement,
        _ values: [Value],
        _ deadline: ContinuousClock.Instant
    ) async throws(PostgresFailure) -> Bool {
        try await client.perform(statement, values, needsWriting: true, by: deadline).changed == 1
    }

    /// Whether a session that may have been saved is what is stored now; nil where a later save hides the answer.
    func isStored(
        _ session: StoredSession,
        _ row: Records.SealedRow,
        _ deadline: ContinuousClock.Instant
    ) async throws -> Bool? {
        // On the server that takes the writes: a standby may be behind.
        let rows = try await client.perform(sql.readSession, [.key(row.hash)], needsWriting: true, by: deadline)
        guard let found = rows.first else { return false }
        if found.bytes(5) == row.slot { return true }
        if found.integer(4) > session.generation { return nil }
        guard found.integer(4) == session.generation else { return false }
        // Sealed anew by a rotation of keys meanwhile, it is still ours.
        return try records.session(found, hash: row.hash).payload.isEqual(to: session.payload)
    }

    /// A row in quarantine is damaged, not unknown.
    func refuseQuarantined(_ table: Statements.SlotTable, _ hash: [UInt8]) async throws {
        let found = try await client.read(
            sql.isQuarantined,
            .integer(Int64(table.rawValue)),
            .key(hash),
            .bytes(hash)
        )
        if !found.isEmpty { throw IdentityError.quarantined }
    }
}

extension IdentityError {
    /// A row is where the wanted one should be, and has another hash.
    static var damagedHash: IdentityError { .storeCorrupt("The hash of a stored record is damaged.") }

    /// The row of something attached names another session than its own.
    static var foreignAttachment: IdentityError {
        .storeCorrupt("Something attached to a session belongs to another session.")
    }

    /// The row was set aside.
    static var quarantined: IdentityError {
        IdentityError(
            .configuration,
            .storeCorrupt,
            "A stored record is damaged and was moved into quarantine.",
            hint: "Restore it from a backup within 30 days, or let the buyer sign in again."
        )
    }
}
