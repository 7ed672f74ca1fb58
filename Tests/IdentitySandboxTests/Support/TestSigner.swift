import IdentityCrypto
import IdentityKit

@testable import IdentitySandbox

/// A client's key pair, with which it signs.
struct TestSigner {
    let key: SigningKey
    let algorithm: SignatureAlgorithm

    init(_ algorithm: SignatureAlgorithm = .es256) throws {
        self.algorithm = algorithm
        key =
            switch algorithm {
            case .es256: try .generateEllipticCurve(.p256)
            case .edDSA: try .generateEd25519()
            default: try .generateRSA()
            }
    }

    /// The public key, with `kid` if one is given.
    func jwk(keyID: String? = nil) -> JSONObject {
        SandboxPublicKey(key.publicNumbers).jwk(keyID: keyID)
    }

    /// A compact JWS; `alg` is set unless the header has one.
    func token(_ header: JSONObject, _ claims: JSONObject) throws -> String {
        var header = header
        if header["alg"] == nil { header["alg"] = .string(algorithm.rawValue) }
        let input = [header, claims].map { Base64URL.encode(JSONValue.object($0).serialized) }.joined(separator: ".")
        return input + "." + Base64URL.encode(try key.sign(Array(input.utf8), algorithm: algorithm))
    }
}
