import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import TestDoubles
import Testing

@Suite("Redaction of the provider's responses")
struct RedactionTests {
    @Test("description, dump and mirror do not show claims, signatures and device codes")
    func values() throws {
        var claims = TokenSigner.goodClaims
        claims["sub"] = .string("c4n4ry")
        let token = try TokenSigner(.es256).token(claims)
        let device: JSONObject = [
            "device_code": .string("c4n4ry"), "user_code": .string("c4n4ry"), "expires_in": .integer(60),
            "verification_uri": .string("https://id.example/c4n4ry"),
        ]
        let values: [Any] = [
            try CompactJWS(parsing: token), try JSONWebToken(parsing: token),
            try DeviceAuthorizationResponse(device, allowsLoopbackHTTP: false),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            let redacted = "\(type(of: value))(<redacted>)"
            #expect("\(value)" == redacted)
            #expect(String(reflecting: value) == redacted)
            #expect(dumped == "- \(redacted)\n")
        }
    }
}
