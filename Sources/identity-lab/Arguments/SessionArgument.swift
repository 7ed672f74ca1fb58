internal import IdentityKit

/// The session that `--session` names: by its id, or by the reference that `sessions` prints.
enum SessionArgument: Sendable {
    case id(SessionID)
    case reference(SessionReference)

    /// Returns a given id unchecked, or finds the session with a given reference.
    func id(in sessions: SessionManager) async throws -> SessionID {
        switch self {
        case .id(let id): return id
        case .reference(let reference): return try await sessions.id(of: reference)
        }
    }
}
