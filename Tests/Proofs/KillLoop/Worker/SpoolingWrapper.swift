internal import IdentityKit
internal import IdentityTesting

/// A wrapper around a worker's store, which also forwards the calls of the spool by default.
protocol SpoolingWrapper: WrappingStore, SessionSpooling {}

extension SpoolingWrapper {
    var innerSpool: (any SessionSpooling)? { inner as? any SessionSpooling }

    func spool(_ session: StoredSession) async throws {
        guard let innerSpool else { throw IdentityError(.retryLater, .storeFailed, "The store has no spool.") }
        try await innerSpool.spool(session)
    }
    func spooledSession(_ id: SessionID) async throws -> StoredSession? { try await innerSpool?.spooledSession(id) }
    func spooledSessions() async throws -> [StoredSession] { try await innerSpool?.spooledSessions() ?? [] }
    func removeSpooledSession(_ id: SessionID) async throws { try await innerSpool?.removeSpooledSession(id) }
}
