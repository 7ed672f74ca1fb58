import IdentityKit
import IdentityTesting
import Testing

@Suite("The end of one sign-in of a buyer")
struct EndedSignInTests {
    @Test("endSignIn ends the sign-in and returns true, also if another session of the buyer cannot be read")
    func unreadableSession() async throws {
        let stage = try LogoutStage()
        let (own, other, damaged) = (
            try await stage.signIn(), try await stage.signIn(), try await stage.signIn()
        )
        stage.store.setUnreadable(damaged)
        #expect(try await stage.manager.endSignIn(other.reference, ofBuyerOf: own))
        #expect(try await stage.store.session(other) == nil)
        // The unreadable session may be the requested sign-in.
        let error = await #expect(throws: IdentityError.self) {
            try await stage.manager.endSignIn(damaged.reference, ofBuyerOf: own)
        }
        #expect(error?.code == .storeCorrupt)
        stage.store.setUnreadable(nil)
        #expect(try await !stage.manager.endSignIn(other.reference, ofBuyerOf: own))
        #expect(try await stage.manager.endSignIn(damaged.reference, ofBuyerOf: own))
    }
}
