import FoundationEssentials
import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

@Suite("References of sessions")
struct SessionReferenceTests {
    private static let text = "kX9fQ2bT7hLw0ZsN4mVcRg"

    /// Every sequence of four characters of the id.
    ///
    /// A reference contains one of them by chance in one of 70,000 cases. The reference of this id does not.
    private static var parts: [String] {
        let letters = Array(text)
        return (0...(letters.count - 4)).map { String(letters[$0..<($0 + 4)]) }
    }

    @Test("no printed form of a value shows any part of a session id")
    func printedForms() throws {
        let id = try #require(SessionID(rawValue: Self.text))
        let stored = StoredSession(
            id: id,
            provider: "p",
            tenant: "t",
            issuer: "i",
            subject: "s",
            createdAt: Date(),
            retainedUntil: Date(),
            payload: Secret("payload")
        )
        let values: [Any] = [
            id, id.reference, [id: 1], Set([id]), LockName.session(id), LockName.attachment("cart", of: id), stored,
            RemovedSession(session: stored, attachments: [:]),
        ]
        for value in values {
            let printed = SecretCanary.printedForms(of: value)
            for part in Self.parts { #expect(!printed.contains(part), "\(type(of: value))") }
        }
        #expect("\(id)" == id.reference.rawValue)
    }

    @Test("a session reference has 16 characters, is the same for the same id, and is never a valid id")
    func form() throws {
        let id = try #require(SessionID(rawValue: Self.text))
        let other = try #require(SessionID(rawValue: "kX9fQ2bT7hLw0ZsN4mVcRQ"))
        #expect(id.reference.rawValue.utf8.count == 16)
        #expect(id.reference == SessionID(rawValue: Self.text)?.reference)
        #expect(id.reference != other.reference)
        #expect(SessionReference(rawValue: id.reference.rawValue) == id.reference)
        #expect(SessionID(rawValue: id.reference.rawValue) == nil)
        #expect(SessionReference(rawValue: Self.text) == nil)
    }

    @Test("events of a refresh and a logout carry the reference of the session")
    func events() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let manager = try world.manager()
        _ = try await manager.tokens(for: id)
        _ = try await manager.logout(id)
        let named = world.heard.sessions
        #expect(named.count >= 2)
        #expect(Set(named) == [id.reference])
    }
}
