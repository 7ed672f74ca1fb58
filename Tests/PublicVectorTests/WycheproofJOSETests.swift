import IdentityCrypto
import IdentityKit
import IdentityOIDC
import Testing

/// Wycheproof vectors for JSON Web Signature and JSON Web Key.
@Suite(
    "Wycheproof: JWS and JWK",
    .enabled(
        if: VectorFolder.wycheproof != nil,
        "run them with Tests/Fixtures/public-vectors"
    )
)
struct WycheproofJOSETests {
    private enum Outcome: Equatable {
        case accepted
        case malformed
        case refused
    }

    /// The key or key set of a group; the public key if there is one.
    private func keySet(_ vector: Wycheproof.Vector) throws -> JSONWebKeySet {
        let value = try #require(vector.group["public"] ?? vector.group["private"])
        let set = value["keys"] == nil ? JSONValue.object(["keys": .array([value])]) : value
        return try JSONWebKeySet(parsing: set.serialized)
    }

    private func outcome(_ vector: Wycheproof.Vector) throws -> Outcome {
        // The file contains the JSON serialization as an object.
        let token = try #require(vector.test["jws"]).string ?? "{}"
        let signature: CompactJWS
        do { signature = try CompactJWS(parsing: Secret(token)) } catch { return .malformed }
        do {
            try signature.verify(keys: try keySet(vector), algorithms: SignatureAlgorithm.allCases)
            return .accepted
        } catch {
            return .refused
        }
    }

    private func isSymmetric(_ vector: Wycheproof.Vector) -> Bool {
        let value = vector.group["private"] ?? .null
        return (value["keys"]?.array ?? [value]).contains { $0["kty"]?.string == "oct" }
    }

    /// Vectors that Wycheproof calls valid and that are refused here, in addition to HMAC, which has no public key.
    ///
    /// RFC 7517 section 4.4: a key is for the algorithm that it names. These keys name PS256 and verify PS384, or name
    /// ES521, which does not exist.
    private static let strictlyRefused: Set = [346, 347, 350, 351]

    @Test("JWS: exactly the valid vectors of the supported algorithms are accepted")
    func signatures() throws {
        let vectors = try Wycheproof("json_web_signature").vectors
        #expect(vectors.count == 401)
        var accepted = 0
        for vector in vectors {
            let number = try #require(vector.test["tcId"]?.number?.integer)
            let isWanted = vector.isValid && !isSymmetric(vector) && !Self.strictlyRefused.contains(number)
            let outcome = try outcome(vector)
            #expect((outcome == .accepted) == isWanted, "\(vector.label): \(outcome)")
            accepted += outcome == .accepted ? 1 : 0
        }
        #expect(accepted == 32)
    }

    @Test("HMAC vectors with invalid characters, padding or unused bits are malformed, and the others are refused")
    func forms() throws {
        let vectors = try Wycheproof("json_web_signature").vectors.filter {
            $0.group["comment"]?.string == "base64"
        }
        #expect(vectors.count == 21)
        for vector in vectors {
            // Two vectors that Wycheproof calls valid have a question mark inside a part, so they are malformed here. In two invalid
            // ones only the authentication code is wrong, so they are well-formed.
            let hasMark = (vector.test["jws"]?.string ?? "?").utf8.contains(UInt8(ascii: "?"))
            let isWrongCode = [367, 370].contains(vector.test["tcId"]?.number?.integer)
            let isWellFormed = vector.isValid && !hasMark || isWrongCode
            #expect(try outcome(vector) == (isWellFormed ? .refused : .malformed), "\(vector.label)")
        }
    }

    @Test(
        "JWK: valid keys are accepted; symmetric and weak keys, and keys for another use or curve, are refused"
    )
    func keys() throws {
        let vectors = try Wycheproof("json_web_key").vectors + Wycheproof("json_web_crypto").vectors
        #expect(vectors.count == 109)
        for vector in vectors where vector.test["jws"] != nil {
            let isWanted = vector.isValid && !isSymmetric(vector)
            #expect((try outcome(vector) == .accepted) == isWanted, "\(vector.label)")
        }
    }
}
