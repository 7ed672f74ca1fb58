internal import IdentityKit
internal import IdentityTesting

struct MutantStore<Inner: SessionStore>: SpoolingWrapper {
    let inner: Inner
    let mutant: Mutant

    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        switch mutant {
        case .writesNoJournal where session.holdsResponse: return true
        case .ignoresGeneration:
            guard let current = try await inner.session(session.id) else { return false }
            var session = session
            session.generation = current.generation + 1
            return try await inner.replace(session, expecting: current.generation)
        default: return try await inner.replace(session, expecting: generation)
        }
    }

    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        guard mutant == .locksNothing else { return try await inner.withLock(name, waitingUpTo: limit, body) }
        return try await body(.untilProcessEnds)
    }
}
