import FoundationEssentials
import IdentityCrypto
import IdentityKit
import IdentityOIDC

/// A provider's key and a client's expectations, for validly signed tokens.
enum Forge {
    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    static let key = Result { try SigningKey.generateEllipticCurve(.p256) }
    static let keys = Result { try JSONWebKeySet(parsing: JSONValue.object(["keys": .array([jwk()])]).serialized) }

    private static func jwk() throws -> JSONValue {
        guard case .ellipticCurve(let curve, let x, let y) = try key.get().publicNumbers else { return .null }
        return .object([
            "kty": .string("EC"), "kid": .string("k1"), "crv": .string(curve.rawValue),
            "x": .string(Base64URL.encode(x)), "y": .string(Base64URL.encode(y)),
        ])
    }

    static func expectations() -> SignedTokenExpectations {
        var expected = SignedTokenExpectations(
            issuers: .exactly(["https://id.example"]),
            audiences: ["client-1"],
            algorithms: [.es256],
            now: now
        )
        expected.nonce = Secret("nonce-1")
        expected.accessToken = Secret("access-1")
        return expected
    }

    /// A token with the given bytes as claims and a valid signature.
    static func token(_ payload: [UInt8], header: String = #"{"alg":"ES256","kid":"k1"}"#) throws -> Secret {
        let input = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(payload))"
        let signature = try key.get().sign(Array(input.utf8), algorithm: .es256)
        return Secret("\(input).\(Base64URL.encode(signature))")
    }
}
