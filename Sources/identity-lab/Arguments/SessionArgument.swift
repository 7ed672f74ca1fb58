internal import IdentityKit

/// The session that `--session` names: by its id, or by the reference that `sessions` prints.
enum SessionArgument: Sendable {
    case id(SessionID)
    case reference(SessionReference)

    /// Returns the id of the session; does not check that a session with a given id exists.
    func id(in sessions: SessionManager) async throws -> SessionID {
        switch self {
        case .id(let id): return id
        case .reference(let reference): return try await sessions.id(of: reference)
        }
    }
}
