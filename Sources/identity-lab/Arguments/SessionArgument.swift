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
        case .reference(let reference):
            return try await sessions.id(of: reference)
        }
    }
}

extension Arguments {
    /// The session of the option `--session`.
    func session() throws(UsageError) -> SessionArgument {
        guard let text = self[.session] else { throw UsageError("\(Option.session.name) is missing.") }
        if let id = SessionID(rawValue: text) { return .id(id) }
        if let reference = SessionReference(rawValue: text) { return .reference(reference) }
        throw UsageError(
            "--session must be a session id (22 characters, as printed by login) or a reference (16 characters, as printed by sessions)."
        )
    }
}
