internal import FoundationEssentials
internal import IdentityKit

/// A store that records most of its writes, without their data; it records no sweep and no removal from the spool.
struct RecordingStore<Base: LabStore>: LabStore {
    let base: Base
    let recorder: Recorder

    func insert(_ session: StoredSession) async throws {
        try await record("Save the session, encrypted") { try await base.insert(session) }
    }

    func insertReplacement(_ session: StoredSession) async throws {
        try await record("Save the session, encrypted") { try await base.insertReplacement(session) }
    }

    func session(_ id: SessionID) async throws -> StoredSession? {
        try await base.session(id)
    }

    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        try await record("Replace the session") { try await base.replace(session, expecting: generation) }
    }

    func remove(_ id: SessionID) async throws -> RemovedSession? {
        try await record("Remove the session") { try await base.remove(id) }
    }

    func readableSessions(matching filter: SessionFilter) async throws -> SessionListing {
        try await base.readableSessions(matching: filter)
    }

    func insert(_ attempt: StoredLoginAttempt) async throws {
        try await record("Save the login attempt, encrypted") { try await base.insert(attempt) }
    }

    func takeLoginAttempt(
        _ key: String,
        after check: @escaping @Sendable (StoredLoginAttempt) throws -> Void
    ) async throws -> StoredLoginAttempt? {
        try await record("Take the login attempt, once") { try await base.takeLoginAttempt(key, after: check) }
    }

    func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? {
        try await base.attachment(name, of: id)
    }

    func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool {
        try await record("Save or remove data of the session, such as its cart") {
            try await base.setAttachment(name, to: payload, of: id, expecting: revision)
        }
    }

    func isUsed(_ key: String) async throws -> Bool {
        try await base.isUsed(key)
    }

    func markUsed(_ key: String, until expiry: Date) async throws -> Bool {
        try await record("Mark the logout token as used") { try await base.markUsed(key, until: expiry) }
    }

    func sweep(expiredBefore date: Date) async throws -> Int {
        try await base.sweep(expiredBefore: date)
    }

    var guaranteedLockDuration: Duration? { base.guaranteedLockDuration }

    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        try await base.withLock(name, waitingUpTo: limit, body)
    }

    private func record<Value>(_ title: String, _ work: () async throws -> Value) async throws -> Value {
        var step = RecordedStep(from: .app, to: .store, title: title, started: recorder.elapsed)
        defer {
            step.duration = recorder.elapsed - step.started
            recorder.add(step)
        }
        do {
            return try await work()
        } catch {
            step.outcome = IdentityError.code(of: error).rawValue
            step.isFailure = true
            throw error
        }
    }
}

extension RecordingStore: SessionSpooling where Base: SessionSpooling {
    func spool(_ session: StoredSession) async throws {
        try await record("Spool the tokens, encrypted") { try await base.spool(session) }
    }

    func spooledSession(_ id: SessionID) async throws -> StoredSession? {
        try await base.spooledSession(id)
    }

    func spooledSessions() async throws -> [StoredSession] {
        try await base.spooledSessions()
    }

    func removeSpooledSession(_ id: SessionID) async throws {
        try await base.removeSpooledSession(id)
    }
}

extension RecordingStore: OptionalSpooling where Base: OptionalSpooling {
    var hasSpool: Bool { base.hasSpool }
}
