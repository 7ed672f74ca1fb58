package import IdentityCrypto
package import IdentityKit

/// Signs tokens with a new key, as a provider, a client or an attacker does.
package struct TokenSigner: Sendable {
    package let key: SigningKey
    package let algorithm: SignatureAlgorithm
    /// The `kid` of the key and of the tokens.
    package var keyID: String?

    package init(_ algorithm: SignatureAlgorithm = .rs256, keyID: String? = "k1") throws {
        self.algorithm = algorithm
        self.keyID = keyID
        key =
            switch algorithm {
            case .es256: try .generateEllipticCurve(.p256)
            case .es384: try .generateEllipticCurve(.p384)
            case .edDSA: try .generateEd25519()
            default: try .generateRSA()
            }
    }

    /// The public key as a JWK (RFC 7517).
    package var jwk: JSONValue { .object(jwkMembers) }

    package var jwkMembers: JSONObject {
        var members = JSONObject()
        switch key.publicNumbers {
        case .rsa(let modulus, let exponent):
            members["kty"] = .string("RSA")
            members["n"] = .string(Base64URL.encode(modulus))
            members["e"] = .string(Base64URL.encode(exponent))
        case .ellipticCurve(let curve, let x, let y):
            members["kty"] = .string("EC")
            members["crv"] = .string(curve.rawValue)
            members["x"] = .string(Base64URL.encode(x))
            members["y"] = .string(Base64URL.encode(y))
        case .ed25519(let x):
            members["kty"] = .string("OKP")
            members["crv"] = .string("Ed25519")
            members["x"] = .string(Base64URL.encode(x))
        }
        members["kid"] = keyID.map { .string($0) }
        return members
    }

    /// A JWT with these claims; its header contains `alg`, `typ` and `kid` before the changes.
    package func token(_ claims: JSONObject, header changes: (inout JSONObject) -> Void = { _ in }) throws -> Secret {
        var header: JSONObject = ["alg": .string(algorithm.rawValue), "typ": .string("JWT")]
        header["kid"] = keyID.map { .string($0) }
        changes(&header)
        return try sign(JSONValue.object(header).serialized, JSONValue.object(claims).serialized)
    }

    /// A compact JWS (RFC 7515) with these bytes as header and payload.
    package func sign(_ header: [UInt8], _ payload: [UInt8]) throws -> Secret {
        let input = "\(Base64URL.encode(header)).\(Base64URL.encode(payload))"
        let signature = try key.sign(Array(input.utf8), algorithm: algorithm)
        return Secret("\(input).\(Base64URL.encode(signature))")
    }
}
