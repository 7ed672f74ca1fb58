import Foundation
import IdentityKit
import Testing

@Suite("The description of an error")
struct ErrorDescriptionTests {
    @Test("localizedDescription of any error is the message, and the recovery suggestion is the hint")
    func localized() {
        let error: any Error = IdentityError(
            .rejected,
            .stateInvalid,
            "The callback has no state.",
            hint: "Start again."
        )
        #expect(error.localizedDescription == "The callback has no state.")
        #expect((error as? any LocalizedError)?.recoverySuggestion == "Start again.")
    }
}
