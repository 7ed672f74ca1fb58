internal import IdentityCrypto
package import IdentityKit

/// An unverified JWT (RFC 7519 section 3): a compact JWS whose payload is a JSON object.
package struct JSONWebToken: Sendable {
    package let jws: CompactJWS
    package let claims: JSONObject

    package var keyID: String? { jws.keyID }
}

extension JSONWebToken {
    package init(parsing token: Secret, as name: String = "ID token") throws(IdentityError) {
        let jws = try CompactJWS(parsing: token, as: name)
        guard let claims = (try? JSONValue(parsing: jws.payload))?.object else {
            throw CompactJWS.malformed(name, "has claims that are not a valid JSON object, or that repeat a member")
        }
        self.init(jws: jws, claims: claims)
    }

    static func parsing(_ token: Secret) -> Result<JSONWebToken, IdentityError> {
        Result { () throws(IdentityError) in try JSONWebToken(parsing: token) }
    }

    /// Signs a JWT in compact serialization (RFC 7515 section 7.1); adds `name`, the JOSE name of the algorithm, to `header` as `alg`.
    static func sign(
        _ header: JSONObject,
        _ claims: JSONObject,
        key: SigningKey,
        algorithm name: String?
    ) throws(IdentityError) -> String {
        var header = header
        header["alg"] = name.map { .string($0) }
        let parts = [header, claims].map { Base64URL.encode(JSONValue.object($0).serialized) }
        let input = parts.joined(separator: ".")
        guard let algorithm = name.flatMap({ SignatureAlgorithm(name: $0) }),
            let signature = try? key.sign(Array(input.utf8), algorithm: algorithm)
        else {
            throw IdentityError(
                .retryLater,
                .systemFailure,
                "A client assertion, a client secret or a DPoP proof could not be signed.",
                hint:
                    "Check that the private key supports the algorithm. Check also that OpenSSL's configuration file (openssl.cnf) does "
                    + "not disable the default provider.",
                reference: "RFC 7515 section 5.1"
            )
        }
        return "\(input).\(Base64URL.encode(signature))"
    }
}

extension JSONWebToken: Redacted {
    package var description: String { "JSONWebToken(<redacted>)" }
}
