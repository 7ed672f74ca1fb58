#if PostgreSQL
public import IdentityKit
internal import IdentityStoreKit
internal import Synchronization

extension PostgresStore: SessionReplacing {
    /// Adds a new session.
    ///
    /// In one rare case, this call stores a removed session again: the response to its insertion was lost, and another caller removed the
    /// session before this call repeated the insertion.
    ///
    /// - Throws: `IdentityError` of the store; of kind `retryLater` with code `store_full` when the session's tenant has the maximum number
    ///   of sessions; of kind `rejected` when a session with this id already exists or is in quarantine.
    public func insert(_ session: StoredSession) async throws {
        if let maximumSessionsPerTenant { try await requireRoom(session.tenant, maximumSessionsPerTenant) }
        try await insertReplacement(session)
    }

    package func insertReplacement(_ session: StoredSession) async throws {
        let row = try records.seal(session)
        let isNew = try await client.repeating { deadline, isInDoubt in
            if try await change(sql.insertSession, row.columnValues, deadline) { return true }
            guard isInDoubt else { return false }
            return try await isStored(session, row, deadline) == true
        }
        guard isNew else { throw IdentityError.sessionExists }
    }

    /// The session with an id; nil if it does not exist.
    ///
    /// - Throws: `IdentityError`, for example with code `store_unavailable`; with code `store_corrupt` when the session is damaged or in
    ///   quarantine, and with code `store_key_mismatch` when this process does not have the session's key.
    public func session(_ id: SessionID) async throws -> StoredSession? {
        let hash = try records.hash(of: id)
        return try await find(sql.readSession, hash, .session).map { try records.open(SealedSession($0), of: id) }
    }

    /// Replaces a session; false if its row has another generation than the expected one, or does not exist.
    ///
    /// - Throws: `IdentityError`; of kind `retryLater`, usually with code `store_unavailable`, also when it is unknown whether the session
    ///   was replaced; with code `store_record_too_large`, or `store_corrupt` when the row has a damaged hash or is in quarantine.
    public func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        let row = try records.seal(session)
        let isReplaced = try await client.repeating { deadline, isInDoubt in
            // If an earlier run took effect, this statement changes nothing, because the row has the new generation.
            if try await change(sql.replaceSession, row.columnValues + [.integer(generation)], deadline) { return true }
            guard isInDoubt else { return false }
            guard let isOurs = try await isStored(session, row, deadline) else {
                throw PostgresFailure(.outcomeUnknown)
            }
            return isOurs
        }
        if !isReplaced, try await !isThere(client.find(sql.hasSession, .key(row.hash)).first, row.hash) {
            _ = try await isPutBack(row.hash, .session)
        }
        return isReplaced
    }

    /// Removes a session with its attachments and returns them; nil if the session does not exist.
    ///
    /// Attachments that cannot be opened, or that belong to another session, go to quarantine and are not returned: a damaged
    /// attachment must not keep a buyer logged in.
    ///
    /// - Throws: `IdentityError`. Kind `retryLater`, usually with code `store_unavailable`: the store failed, and this call may have
    ///   removed the session. Code `store_corrupt`: the session is damaged or in quarantine. Code `store_key_mismatch`: this process
    ///   does not have the session's key.
    public func remove(_ id: SessionID) async throws -> RemovedSession? {
        let hash = try records.hash(of: id)
        if let removed = try await remove(id, hash) { return removed }
        return try await isPutBack(hash, .session) ? remove(id, hash) : nil
    }

    private func remove(_ id: SessionID, _ hash: [UInt8]) async throws -> RemovedSession? {
        var last: (removed: RemovedSession, transaction: Int64)?
        return try await client.repeating { deadline, isInDoubt -> RemovedSession? in
            try await client.transaction(by: deadline) { transaction in
                guard let row = try await transaction.run(sql.lockSession, .key(hash)).first else {
                    // The response to the COMMIT of an earlier run may have been lost. If that COMMIT took effect, this call has removed
                    // the session. If that COMMIT had no effect, another caller has removed the session. Only the caller that removed
                    // the session may get its attachments, such as the cart.
                    guard isInDoubt, let last else { return nil }
                    let status = try await transaction.run(sql.isCommitted, .integer(last.transaction)).first
                    guard let status, !status.isNull(0) else { throw PostgresFailure(.outcomeUnknown) }
                    return status.flag(0) ? last.removed : nil
                }
                let session = try records.open(SealedSession(row), of: id)
                let attachments = try await takeAttachments(of: id, hash, in: transaction)
                let removed = RemovedSession(session: session, attachments: attachments)
                let deleted = try await transaction.run(sql.deleteSession, .key(hash), .bytes(hash)).first
                last = deleted.map { (removed, $0.integer(0)) }
                return removed
            }
        }
    }

    /// Marks every session as restored from a backup: its refresh token may have been used after the backup.
    ///
    /// Call this method once after the database was restored from a backup, before sessions are used.
    ///
    /// - Returns: The number of sessions that this call marked, without sessions in quarantine.
    /// - Throws: `IdentityError`, for example with code `store_unavailable`. Then call this method again, because only some sessions may be
    ///   marked.
    public func markAllAsRestored() async throws -> Int {
        _ = try await client.write(sql.markQuarantinedAsRestored)
        return try await page(sql.markRestored)
    }

    private func requireRoom(_ tenant: String, _ maximum: Int) async throws {
        guard counters.withLock({ $0.sessions.addRow(of: tenant, limit: maximum) }) else { return }
        let rows = try await client.read(sql.countSessionsOfTenant, .text(tenant), .integer(Int64(maximum)))
        guard let count = rows.first?.integer(0), count >= maximum else { return }
        counters.withLock { $0.sessions.removeRow(of: tenant) }
        throw IdentityError.tenantFull
    }

    /// Whether an earlier run of the call, whose response was lost, has saved the session.
    ///
    /// Nil if the stored session has a later generation, because a later generation does not show what the earlier run did.
    func isStored(
        _ session: StoredSession,
        _ saved: SealedSession,
        _ deadline: ContinuousClock.Instant
    ) async throws -> Bool? {
        let found = try await currentRow(sql.readSession, saved.hash, deadline)
        guard let row = found.map(SealedSession.init) else { return false }
        if row.record == saved.record { return true }
        if row.generation > session.generation { return nil }
        guard row.generation == session.generation else { return false }
        // The records can differ although the session is the same, because a key rotation may have encrypted the session again.
        return try records.open(row, of: session.id).payload.isEqual(to: session.payload)
    }

    /// Whether ``Statements/hasSession`` found the row of a session; throws if the row's hash differs, because the row is then damaged.
    func isThere(_ row: Row?, _ hash: [UInt8]) throws -> Bool {
        guard let row else { return false }
        guard row.bytes(0) == hash else { throw IdentityError.damagedRecord("its row belongs to another session") }
        return true
    }

    /// The row with a hash, from a server that accepts writes, because a standby may lack the latest changes.
    func currentRow(
        _ statement: Statement,
        _ hash: [UInt8],
        _ deadline: ContinuousClock.Instant
    ) async throws(PostgresFailure) -> Row? {
        try await client.perform(statement, [.key(hash)], needsWriting: true, by: deadline).first
    }

    /// Runs a statement that changes at most one row, and returns whether it changed one.
    func change(
        _ statement: Statement,
        _ values: [Value],
        _ deadline: ContinuousClock.Instant
    ) async throws(PostgresFailure) -> Bool {
        try await client.perform(statement, values, needsWriting: true, by: deadline).changed == 1
    }
}

extension PostgresStore: StoreReadChecking {
    package func checkReadable() async throws {
        _ = try await client.read(sql.hasSession, .integer(0))
    }
}

extension PostgresStore: PartialSessionListing {
    /// The sessions that match the filter and can be opened, oldest first, and the first error of a session that cannot be opened.
    ///
    /// A session in quarantine that may match counts as one that cannot be opened, unless the filter has `isInDoubt`. The sessions of a
    /// buyer, or with a provider's session id, are read only from a server that accepts writes. A logout must end all these sessions, but
    /// a standby may not have the newest sessions yet.
    ///
    /// - Throws: `IdentityError` when no suitable server can be read, for example with code `store_unavailable` or `store_read_only`.
    public func readableSessions(matching filter: SessionFilter) async throws -> SessionListing {
        let provider = filter.provider.map(Value.text) ?? .null
        let tenant = filter.tenant.map(Value.text) ?? .null
        let buyer = try filter.buyer.map { try records.hash(ofBuyer: $0.subject, at: $0.issuer) }.map(Value.bytes)
        let name = try filter.providerSessionID.map { try records.hash(ofProviderSession: $0) }.map(Value.bytes)
        let isInDoubt = filter.isInDoubt.map(Value.flag) ?? .null
        let needsWriting = buyer != nil || name != nil
        // The statement is chosen by one condition of the filter, so that PostgreSQL can use the index of that condition.
        let (statement, conditions): (Statement, [Value]) =
            if let buyer {
                (sql.listSessions(by: "buyer"), [provider, tenant, isInDoubt, buyer])
            } else if let name {
                (sql.listSessions(by: "provider_session"), [provider, tenant, isInDoubt, name])
            } else if filter.isInDoubt == true {
                (sql.listSessionsInDoubt, [provider, tenant])
            } else if filter.tenant != nil {
                (sql.listSessions(by: "tenant"), [provider, tenant, isInDoubt, tenant])
            } else {
                (sql.listSessions, [provider, tenant, isInDoubt])
            }
        return try await records.listing(matching: filter) {
            let values = [provider, tenant, buyer ?? .null, name ?? .null]
            return try await !client.rows(sql.hasQuarantinedSession, values, needsWriting: needsWriting).isEmpty
        } rows: { after in
            let values = [.integer(after), .integer(Int64(records.chunk))] + conditions
            return try await client.rows(statement, values, needsWriting: needsWriting).all.map {
                (key: $0.integer(0), row: SealedSession($0))
            }
        }
    }
}
#endif
