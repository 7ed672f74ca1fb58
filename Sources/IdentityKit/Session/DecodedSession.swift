/// A stored session whose payload is decoded once, when the object is created.
final class DecodedSession: Sendable {
    final class Decoded: Sendable {
        let state: SessionState
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

    func decoded() throws(IdentityError) -> Decoded { try result.get() }
}
