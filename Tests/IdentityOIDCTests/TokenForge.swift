import FoundationEssentials
import IdentityCrypto
import IdentityKit
import IdentityOIDC

/// Signs tokens with a new key, as a provider or an attacker does.
struct TokenForge {
    let key: SigningKey
    let algorithm: SignatureAlgorithm
    var keyID: String? = "k1"

    static let now = Date(timeIntervalSince1970: 1_790_000_000)

    init(_ algorithm: SignatureAlgorithm = .rs256) throws {
        self.algorithm = algorithm
        key =
            switch algorithm {
            case .es256: try .generateEllipticCurve(.p256)
            case .es384: try .generateEllipticCurve(.p384)
            case .edDSA: try .generateEd25519()
            default: try .generateRSA()
            }
    }

    /// The claims of a valid token.
    static var goodClaims: JSONObject {
        [
            "iss": .string("https://id.example"), "sub": .string("buyer-1"), "aud": .string("client-1"),
            "exp": .integer(1_790_000_300), "iat": .integer(1_790_000_000), "nonce": .string("nonce-1"),
            "email": .string("ada@example.com"), "email_verified": .bool(true),
        ]
    }

    static func expectations() -> SignedTokenExpectations {
        var expected = SignedTokenExpectations(
            issuers: .exactly(["https://id.example"]),
            audiences: ["client-1"],
            algorithms: [.rs256, .ps256, .es256, .es384, .edDSA],
            now: now
        )
        expected.nonce = Secret("nonce-1")
        return expected
    }

    /// The public key as a JWK.
    var jwk: JSONValue {
        var object = JSONObject()
        switch key.publicNumbers {
        case .rsa(let modulus, let exponent):
            object["kty"] = .string("RSA")
            object["n"] = .string(Base64URL.encode(modulus))
            object["e"] = .string(Base64URL.encode(exponent))
        case .ellipticCurve(let curve, let x, let y):
            object["kty"] = .string("EC")
            object["crv"] = .string(curve.rawValue)
            object["x"] = .string(Base64URL.encode(x))
            object["y"] = .string(Base64URL.encode(y))
        case .ed25519(let x):
            object["kty"] = .string("OKP")
            object["crv"] = .string("Ed25519")
            object["x"] = .string(Base64URL.encode(x))
        }
        object["kid"] = keyID.map { .string($0) }
        return .object(object)
    }

    /// A key set with this key and keys that cannot verify its tokens.
    func keySet(beside others: [JSONValue] = []) throws -> JSONWebKeySet {
        let strange: [JSONValue] = [
            .object(["kty": .string("EC"), "crv": .string("secp256k1"), "x": .string("AA"), "y": .string("AA")]),
            .object(["kty": .string("RSA"), "use": .string("enc"), "n": .string("AQAB"), "e": .string("AQAB")]),
            .object(["kty": .string("oct"), "k": .string("c2VjcmV0")]), .string("no key at all"), .null,
        ]
        let set: JSONValue = .object(["keys": .array(strange + [jwk] + others)])
        return try JSONWebKeySet(parsing: set.serialized)
    }

    func token(
        _ claims: JSONObject = TokenForge.goodClaims,
        header changes: (inout JSONObject) -> Void = { _ in }
    ) throws -> Secret {
        var header: JSONObject = ["alg": .string(algorithm.rawValue), "typ": .string("JWT")]
        header["kid"] = keyID.map { .string($0) }
        changes(&header)
        return try sign(JSONValue.object(header).serialized, JSONValue.object(claims).serialized)
    }

    func sign(_ header: [UInt8], _ payload: [UInt8]) throws -> Secret {
        let input = "\(Base64URL.encode(header)).\(Base64URL.encode(payload))"
        let signature = try key.sign(Array(input.utf8), algorithm: algorithm)
        return Secret("\(input).\(Base64URL.encode(signature))")
    }
}
