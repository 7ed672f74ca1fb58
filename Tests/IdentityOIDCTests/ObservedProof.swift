import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import Testing

/// A DPoP proof as a server checks it (RFC 9449 section 4.3): one header, the correct type, signed with the key that it contains.
struct ObservedProof {
    let claims: JSONValue
    /// The thumbprint of the key, computed independently of the SDK.
    let thumbprint: String

    var nonce: String? { claims["nonce"]?.string }
    var id: String { claims["jti"]?.string ?? "" }

    init(_ text: String, _ method: String, _ url: String, at now: Date) throws {
        let proof = try SignedText(text)
        #expect(proof.header.object?.members.map(\.name).sorted() == ["alg", "jwk", "typ"])
        #expect(proof.header["typ"]?.string == "dpop+jwt")
        #expect(proof.header["alg"]?.string == "ES256")
        let jwk = try #require(proof.header["jwk"])
        #expect(jwk.object?.members.map(\.name).sorted() == ["crv", "kty", "x", "y"])
        #expect(jwk["crv"]?.string == "P-256")
        let (x, y) = (try #require(jwk["x"]?.string), try #require(jwk["y"]?.string))
        let key = try VerificationKey.ellipticCurve(
            .p256,
            x: try #require(Base64URL.decode(x)),
            y: try #require(Base64URL.decode(y))
        )
        #expect(proof.isSigned(by: key))
        claims = proof.claims
        #expect(claims["htm"]?.string == method)
        #expect(claims["htu"]?.string == url)
        #expect(claims["iat"]?.number?.integer == Int(now.timeIntervalSince1970))
        #expect(Base64URL.decode(claims["jti"]?.string ?? "")?.count == 16)
        let text = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        thumbprint = Base64URL.encode(try Digest.sha256(Array(text.utf8)))
    }

    init(_ request: LoopbackRequest, from world: FakeWorld) throws {
        try #require(request.headers.filter { $0.name.lowercased() == "dpop" }.count == 1)
        try self.init(
            try #require(request.header("DPoP")),
            request.method,
            world.fake.origin + request.path,
            at: world.clock.now
        )
    }

    /// The nonce of a request's proof; nothing else is checked.
    static func nonce(in request: LoopbackRequest) -> String? {
        request.header("DPoP").flatMap { try? SignedText($0) }?.claims["nonce"]?.string
    }
}
