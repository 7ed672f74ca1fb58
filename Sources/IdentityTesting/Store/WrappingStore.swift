package import IdentityKit

/// A store around another one.
///
/// It passes on the calls that a wrapper does not implement.
package protocol WrappingStore: SessionStore {
    associatedtype Inner: SessionStore

    var inner: Inner { get async }
}

extension WrappingStore {
    package func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (SessionHold) async throws -> Result
    ) async throws -> Result {
        try await inner.withLock(name, waitingUpTo: limit, body)
    }
    package func insert(_ session: StoredSession) async throws { try await inner.insert(session) }
    package func session(_ id: SessionID) async throws -> StoredSession? { try await inner.session(id) }
    package func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        try await inner.replace(session, expecting: generation)
    }
    package func remove(_ id: SessionID) async throws -> RemovedSession? { try await inner.remove(id) }
    package func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        try await inner.sessions(matching: filter)
    }
    package func insert(_ attempt: StoredLoginAttempt) async throws { try await inner.insert(attempt) }
    package func takeLoginAttempt(
        _ key: String,
        after check: @escaping @Sendable (StoredLoginAttempt) throws -> Void
    ) async throws -> StoredLoginAttempt? {
        try await inner.takeLoginAttempt(key, after: check)
    }
    package func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? {
        try await inner.attachment(name, of: id)
    }
    package func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool {
        try await inner.setAttachment(name, to: payload, of: id, expecting: revision)
    }
}
