import IdentityKit

/// A store around another; what a wrapper does not say itself is the inner one's business.
protocol WrappingStore: SessionStore {
    var inner: InMemoryStore { get }
}

extension WrappingStore {
    func insert(_ session: StoredSession) async throws { try await inner.insert(session) }
    func session(_ id: SessionID) async throws -> StoredSession? { try await inner.session(id) }
    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        try await inner.replace(session, expecting: generation)
    }
    func remove(_ id: SessionID) async throws -> RemovedSession? { try await inner.remove(id) }
    func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        try await inner.sessions(matching: filter)
    }
    func insert(_ attempt: StoredLoginAttempt) async throws { try await inner.insert(attempt) }
    func takeLoginAttempt(_ key: String) async throws -> StoredLoginAttempt? { try await inner.takeLoginAttempt(key) }
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
}
