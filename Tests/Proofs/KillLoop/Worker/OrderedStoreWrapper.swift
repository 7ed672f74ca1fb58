internal import IdentityKit

/// A wrapper around a worker's store, which forwards all calls by default.
protocol OrderedStoreWrapper: SessionSpooling, SessionStore {
    var inner: any SessionStore { get }
}

extension OrderedStoreWrapper {
    var second: (any SessionSpooling)? { inner as? any SessionSpooling }
    var guaranteedLockDuration: Duration? { inner.guaranteedLockDuration }

    func insert(_ session: StoredSession) async throws { try await inner.insert(session) }
    func session(_ id: SessionID) async throws -> StoredSession? { try await inner.session(id) }
    func remove(_ id: SessionID) async throws -> RemovedSession? { try await inner.remove(id) }
    func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        try await inner.sessions(matching: filter)
    }
    func insert(_ attempt: StoredLoginAttempt) async throws { try await inner.insert(attempt) }
    func takeLoginAttempt(
        _ key: String,
        after check: @escaping @Sendable (StoredLoginAttempt) throws -> Void
    ) async throws -> StoredLoginAttempt? {
        try await inner.takeLoginAttempt(key, after: check)
    }
    func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? {
        try await inner.attachment(name, of: id)
    }
    func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool {
        try await inner.setAttachment(name, to: payload, of: id, expecting: revision)
    }
    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        try await inner.withLock(name, waitingUpTo: limit, body)
    }
    func spool(_ session: StoredSession) async throws {
        guard let second else { throw IdentityError(.retryLater, .storeFailed, "The store has no spool.") }
        try await second.spool(session)
    }
    func spooledSession(_ id: SessionID) async throws -> StoredSession? { try await second?.spooledSession(id) }
    func spooledSessions() async throws -> [StoredSession] { try await second?.spooledSessions() ?? [] }
    func removeSpooledSession(_ id: SessionID) async throws { try await second?.removeSpooledSession(id) }
}
