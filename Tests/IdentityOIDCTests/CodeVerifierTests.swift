import IdentityKit
import IdentityOIDC
import Testing

@Suite("Code verifier")
struct CodeVerifierTests {
    @Test(
        "a code verifier without 43 to 128 unreserved characters is refused",
        arguments: [
            String(repeating: "a", count: 42), String(repeating: "a", count: 129), String(repeating: "+", count: 43),
        ]
    )
    func invalidVerifier(verifier: String) {
        let error = #expect(throws: IdentityError.self) { _ = try PKCE(verifier: verifier) }
        #expect(error?.reference == "RFC 7636 section 4.1")
    }

    @Test("a code verifier is made from 32 to 96 random bytes", arguments: [31, 32, 96, 97])
    func randomVerifier(count: Int) throws {
        let pkce = try? PKCE(randomBytes: [UInt8](repeating: 0xFF, count: count))
        #expect((pkce != nil) == (32...96).contains(count))
        if let verifier = pkce?.verifier.reveal() { _ = try PKCE(verifier: verifier) }
    }

    @Test("the code verifier of RFC 7636 appendix B gives the challenge of appendix B")
    func pkce() throws {
        let key = try PKCE(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(key.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }
}
