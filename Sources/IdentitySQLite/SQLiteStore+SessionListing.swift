public import IdentityKit
internal import IdentityStoreKit

extension SQLiteStore: PartialSessionListing {
    private static let listChunk: Int64 = 128

    /// The sessions that match, oldest first.
    ///
    /// Rows that cannot be opened are left out of a list of all; one that belongs to the buyer or to the provider's session that is
    /// asked for makes the call fail, also from quarantine, for the list would pass for the whole.
    public func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        let (found, damage) = try await readableSessions(matching: filter)
        if let damage, filter.buyer != nil || filter.providerSessionID != nil { throw damage }
        return found
    }

    /// The sessions that match and can be opened, oldest first, and the first error of those that cannot.
    package func readableSessions(
        matching filter: SessionFilter
    ) async throws -> (sessions: [StoredSession], damage: IdentityError?) {
        let (query, value) = try listing(filter)
        let provider = filter.provider.map(Value.text) ?? .null
        let tenant = filter.tenant.map(Value.text) ?? .null
        var found: [StoredSession] = []
        var damage = try await quarantined(filter)
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
                    value
                ) { (key: $0.integer(9), row: SessionRow($0, hash: $0.bytes(8))) }
            }
            for (_, row) in rows {
                do {
                    let session = try open(row)
                    if filter.matches(session) { found.append(session) }
                } catch {
                    let failure = IdentityError.wrapping(error)
                    guard failure.concernsRecord else { throw failure }
                    damage = damage ?? failure
                }
            }
            guard rows.count == Self.listChunk, let key = rows.last?.key else { break }
            last = key
        }
        return (found.sorted { ($0.createdAt, $0.id.rawValue) < ($1.createdAt, $1.id.rawValue) }, damage)
    }

    /// The narrowest index that a filter can be answered from, and what is looked up in it.
    private func listing(_ filter: SessionFilter) throws -> (Query, Value) {
        if let buyer = filter.buyer {
            (.listSessionsOfBuyer, .bytes(try buyerHash(issuer: buyer.issuer, subject: buyer.subject)))
        } else if let name = filter.providerSessionID {
            (.listSessionsOfProviderSession, .bytes(try providerSessionHash(name)))
        } else if filter.isUnsettled == true {
            (.listUnsettledSessions, .null)
        } else if let tenant = filter.tenant {
            (.listSessionsOfTenant, .text(tenant))
        } else {
            (.listSessions, .null)
        }
    }

    /// Whether a session that may match is in quarantine.
    private func quarantined(_ filter: SessionFilter) async throws -> IdentityError? {
        let buyer = try filter.buyer.map { Value.bytes(try buyerHash(issuer: $0.issuer, subject: $0.subject)) } ?? .null
        let name = try filter.providerSessionID.map { Value.bytes(try providerSessionHash($0)) } ?? .null
        let provider = filter.provider.map(Value.text) ?? .null
        let tenant = filter.tenant.map(Value.text) ?? .null
        let isThere = try await database.read { connection in
            try connection.first(.isAnyQuarantined, buyer, name, provider, tenant) { _ in true } != nil
        }
        return isThere ? Self.quarantined : nil
    }
}

/// A session as its row shows it.
struct SessionRow: Sendable {
    let identity: RecordIdentity
    let slot: [UInt8]
    let isUnsettled: Bool
    let isRestored: Bool

    /// Reads the columns buyer, tenant, provider, issuer, generation, slot, unsettled, restored.
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
        isUnsettled = statement.integer(6) == 1
        isRestored = statement.integer(7) == 1
    }
}
