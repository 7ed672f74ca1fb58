/// A stored session with its decoded state; one object for all callers who share the read.
final class DecodedSession: Sendable {
    let stored: StoredSession
    private let result: Result<(state: SessionState, session: Session), IdentityError>

    init(_ stored: StoredSession) {
        self.stored = stored
        do throws(IdentityError) {
            let state = try SessionState(stored)
            result = .success((state, Session(stored, state)))
        } catch {
            result = .failure(error)
        }
    }

    /// The state and the session without the tokens.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/storeCorrupt``.
    func decoded() throws(IdentityError) -> (state: SessionState, session: Session) { try result.get() }
}
