/// A stored session with its decoded state; one object for all callers who share the read.
final class DecodedSession: Sendable {
    /// A class, because each copy of the state would retain every member of its tokens.
    final class Decoded: Sendable {
        let state: SessionState
        /// The session without the tokens.
        let session: Session

        fileprivate init(_ stored: StoredSession) throws(IdentityError) {
            state = try SessionState(stored)
            session = Session(stored, state)
        }
    }

    let stored: StoredSession
    private let result: Result<Decoded, IdentityError>

    init(_ stored: StoredSession) {
        self.stored = stored
        result = Result { () throws(IdentityError) in try Decoded(stored) }
    }

    /// The state and the session.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/storeCorrupt``.
    func decoded() throws(IdentityError) -> Decoded { try result.get() }
}
