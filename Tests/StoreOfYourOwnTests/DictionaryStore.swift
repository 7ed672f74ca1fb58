import FoundationEssentials
import IdentityKit
import IdentityStoreKit
import Synchronization

/// The database of the sample: dictionaries of encrypted rows, as a key-value server would store them.
final class Dictionaries: Sendable {
    struct Content: Sendable {
        var header: StoreHeader?
        var sessions: [[UInt8]: SealedSession] = [:]
        var attempts: [[UInt8]: SealedLoginAttempt] = [:]
        var attachments: [[UInt8]: SealedAttachment] = [:]
        var quarantine: [[UInt8]: Date] = [:]
    }

    let content = Mutex(Content())
    /// Locks for one process; a real database would have locks for all processes.
    let locks = InMemoryLocks()
}

/// A store of your own: `Documentation/Extending/StoreOfYourOwn.md` explains it.
final class DictionaryStore: Sendable {
    let database: Dictionaries
    let records: StoreRecords

    init(_ database: Dictionaries, keys: StoreKeys) throws {
        self.database = database
        records = try database.content.withLock { content in
            var header = try content.header ?? StoreHeader.make(sealedUnder: keys)
            if let record = try header.missingLookupKey(for: keys) { header.add(sealedLookupKey: record) }
            content.header = header
            return try header.records(openedWith: keys)
        }
    }
}

extension DictionaryStore: SessionRecordStore {
    func insert(_ session: StoredSession) async throws {
        let row = try records.seal(session)
        let isNew = database.content.withLock { content in
            guard content.sessions[row.hash] == nil, content.quarantine[row.hash] == nil else { return false }
            content.sessions[row.hash] = row
            return true
        }
        guard isNew else { throw IdentityError(.rejected, .storeFailed, "A session with this id is already stored.") }
    }

    func session(_ id: SessionID) async throws -> StoredSession? {
        let hash = try records.hash(of: id)
        return try database.content.withLock { content in
            try content.refuseQuarantined(hash)
            return try content.sessions[hash].map { try records.open($0, of: id) }
        }
    }

    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        let row = try records.seal(session)
        return try database.content.withLock { content in
            try content.refuseQuarantined(row.hash)
            guard content.sessions[row.hash]?.generation == generation else { return false }
            content.sessions[row.hash] = row
            return true
        }
    }

    func remove(_ id: SessionID) async throws -> RemovedSession? {
        let hash = try records.hash(of: id)
        return try database.content.withLock { content -> RemovedSession? in
            try content.refuseQuarantined(hash)
            guard let row = content.sessions[hash] else { return nil }
            var removed = RemovedSession(session: try records.open(row, of: id), attachments: [:])
            for attachment in content.attachments.values where attachment.session == hash {
                do throws(IdentityError) {
                    let (name, payload) = try records.open(attachment, of: id)
                    removed.attachments[name] = payload
                } catch {
                    // A damaged attachment must not keep a buyer logged in.
                    guard error.concernsRecord else { throw error }
                    content.quarantine[attachment.hash] = Date()
                }
                content.attachments[attachment.hash] = nil
            }
            content.sessions[hash] = nil
            return removed
        }
    }
}

extension DictionaryStore: PartialSessionListing {
    func readableSessions(matching filter: SessionFilter) async throws -> SessionListing {
        // A database would look the hash of the buyer up in an index.
        let buyer = try filter.buyer.map { try records.hash(ofBuyer: $0.subject, at: $0.issuer) }
        let rows = database.content.withLock { content in
            content.sessions.values.filter { buyer == nil || $0.buyer == buyer }
        }
        var listing = SessionListing()
        try records.open(rows, matching: filter, into: &listing)
        return listing.oldestFirst
    }
}

extension DictionaryStore: LoginAttemptStore {
    func insert(_ attempt: StoredLoginAttempt) async throws {
        let row = try records.seal(attempt)
        database.content.withLock { $0.attempts[row.hash] = row }
    }

    func takeLoginAttempt(
        _ key: String,
        after check: @escaping @Sendable (StoredLoginAttempt) throws -> Void
    ) async throws -> StoredLoginAttempt? {
        let hash = try records.hash(ofLoginAttempt: key)
        return try database.content.withLock { content -> StoredLoginAttempt? in
            guard let row = content.attempts[hash] else { return nil }
            let attempt = try records.open(row, of: key)
            try check(attempt)
            content.attempts[hash] = nil
            return attempt
        }
    }
}

extension DictionaryStore: SessionAttachmentStore {
    func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? {
        let hash = try records.hash(ofAttachment: name, of: id)
        return try database.content.withLock { content in
            try content.refuseQuarantined(hash)
            return try content.attachments[hash].map {
                SessionAttachment(payload: try records.open($0, of: id).payload, revision: $0.revision)
            }
        }
    }

    func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool {
        let (hash, session) = (try records.hash(ofAttachment: name, of: id), try records.hash(of: id))
        guard let next = try records.revision(after: revision) else { return false }
        let row = try payload.map { try records.seal($0, as: name, of: id, revision: next) }
        return database.content.withLock { content in
            guard content.sessions[session] != nil, content.attachments[hash]?.revision == revision else {
                return false
            }
            content.attachments[hash] = row
            return true
        }
    }
}

extension DictionaryStore: SessionLocking {
    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        try await database.locks.withLock(name, waitingUpTo: limit, body)
    }
}

extension DictionaryStore: ExpirySweeping {
    func sweep(expiredBefore date: Date) async throws -> Int {
        database.content.withLock { content in
            let before = content.attempts.count + content.sessions.count
            content.attempts = content.attempts.filter { $0.value.expiresAt >= date }
            content.sessions = content.sessions.filter { $0.value.retainedUntil >= date }
            let sessions = content.sessions
            content.attachments = content.attachments.filter { sessions[$0.value.session] != nil }
            content.quarantine = content.quarantine.filter { $0.value >= date - 30 * 86_400 }
            return before - content.attempts.count - content.sessions.count
        }
    }
}

extension DictionaryStore: StoreHealthChecking, RowQuarantining, StoreKeyRotating {
    private var maintenance: RowMaintenance<Dictionaries> { RowMaintenance(database, records: records) }

    func checkHealth() async throws -> StoreHealth {
        var health = StoreHealth()
        try await maintenance.checkRows(for: &health)
        health.quarantinedRows = database.content.withLock { $0.quarantine.count }
        return health
    }

    func quarantineDamagedRows() async throws -> Int {
        try await maintenance.quarantineDamagedRows()
    }

    func keyUsage() async throws -> [StoreKeyUsage] {
        var counts: [String: Int] = [:]
        for row in SealedRow.Kind.allCases.flatMap({ kind in database.content.withLock { $0.rows(of: kind) } }) {
            if let key = StoreRecords.keyID(of: row.record) { counts[key, default: 0] += 1 }
        }
        return records.keyUsage(counts)
    }

    func resealRows(after position: ResealPosition?, limit: Int) async throws -> ResealProgress {
        try await maintenance.resealRows(after: position, limit: limit)
    }
}

extension Dictionaries: SealedTables {
    func rows(of kind: SealedRow.Kind, after key: Int64, limit: Int) async throws -> [StoredRow] {
        let rows = content.withLock { $0.rows(of: kind) }.map {
            StoredRow(key: StoreRecords.rowKey($0.hash), row: $0)
        }
        return Array(rows.filter { $0.key > key }.sorted { $0.key < $1.key }.prefix(limit))
    }

    func replace(_ rows: [StoredRow], with records: [[UInt8]]) async throws -> Int {
        content.withLock { content in
            zip(rows, records).count { stored, record in
                guard content.isUnchanged(stored.row) else { return false }
                var row = stored.row
                row.record = record
                content.put(row)
                return true
            }
        }
    }

    func quarantine(_ rows: [StoredRow], reasons: [IdentityError]) async throws -> Int {
        content.withLock { content in
            rows.map(\.row).count { row in
                guard content.isUnchanged(row) else { return false }
                // A real store also keeps the row, so that it can be put back.
                content.quarantine[row.hash] = Date()
                content.remove(row)
                return true
            }
        }
    }
}

extension Dictionaries.Content {
    func refuseQuarantined(_ hash: [UInt8]) throws {
        guard quarantine[hash] == nil else {
            throw IdentityError(
                .configuration,
                .storeCorrupt,
                "A stored record is damaged and was moved to quarantine.",
                hint: "Let the buyer sign in again."
            )
        }
    }

    func rows(of kind: SealedRow.Kind) -> [SealedRow] {
        switch kind {
        case .session: sessions.values.map(SealedRow.session)
        case .loginAttempt: attempts.values.map(SealedRow.loginAttempt)
        case .attachment: attachments.values.map(SealedRow.attachment)
        }
    }

    func isUnchanged(_ row: SealedRow) -> Bool {
        rows(of: row.kind).contains { $0.hash == row.hash && $0.record == row.record }
    }

    mutating func put(_ row: SealedRow) {
        switch row {
        case .session(let row): sessions[row.hash] = row
        case .loginAttempt(let row): attempts[row.hash] = row
        case .attachment(let row): attachments[row.hash] = row
        }
    }

    mutating func remove(_ row: SealedRow) {
        switch row {
        case .session(let row): sessions[row.hash] = nil
        case .loginAttempt(let row): attempts[row.hash] = nil
        case .attachment(let row): attachments[row.hash] = nil
        }
    }
}
