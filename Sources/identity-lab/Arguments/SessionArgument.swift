internal import IdentityKit

/// The session that `--session` names: by its id, or by the reference that `sessions` prints.
enum SessionArgument: Sendable {
    case id(SessionID)
    case reference(SessionReference)

    /// Returns the id of the session.
    ///
    /// - Throws: `IdentityError` with code `session_unknown` if no stored session has the reference, or the store's error.
    func id(in sessions: SessionManager) async throws -> SessionID {
        switch self {
        case .id(let id): return id
        case .reference(let reference): return try await sessions.id(of: reference)
        }
    }
}
