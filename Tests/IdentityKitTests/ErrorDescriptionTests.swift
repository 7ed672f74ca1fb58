import Foundation
import IdentityHTTP
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

    @Test("an invalid header or method is a fault of the configuration, because a retry does not help")
    func unsendable() {
        for code in [HTTPTransportError.Code.invalidHeader, .invalidMethod] {
            let cause = HTTPTransportError(code: code, phase: .notSent, message: "The user agent is wrong.")
            let error = IdentityError.wrapping(cause)
            #expect(error.kind == .configuration && error.code == .configurationInvalid)
            #expect(error.hint?.hasSuffix("The user agent is wrong.") == true)
        }
    }

    @Test("the error for an http URL names https, and the error for a URL that the transport cannot use does not")
    func unusableURL() {
        for (code, isInsecure) in [(.insecureURL, true), (.invalidURL, false)] as [(HTTPTransportError.Code, Bool)] {
            let cause = HTTPTransportError(code: code, phase: .notSent, message: "https://id.example: Unusable")
            let error = IdentityError(cause, asking: "The provider", at: "id.example")
            #expect(error.kind == .configuration && error.code == .configurationInvalid)
            #expect(error.message.hasPrefix("The provider at id.example has a URL that "))
            #expect(error.message.hasSuffix(" is not https.") == isInsecure)
            #expect(error.hint?.contains("allowsLoopbackHTTP") == isInsecure)
        }
    }
}
