internal import IdentityCrypto
internal import IdentityKit

extension JSONWebToken {
    /// Makes a JWS in compact form (RFC 7515 section 7.1).
    ///
    /// - Parameters:
    ///   - header: The header but for `alg`.
    ///   - claims: What is signed.
    ///   - key: The key.
    ///   - algorithm: What to sign with; nil is refused, as is one that the key cannot.
    /// - Throws: `IdentityError` with code `system_failure`.
    static func compact(
        _ header: JSONObject,
        _ claims: JSONObject,
        key: SigningKey,
        algorithm: SignatureAlgorithm?
    ) throws(IdentityError) -> String {
        var header = header
        header["alg"] = (algorithm?.rawValue).map { .string($0) }
        let parts = [header, claims].map { Base64URL.encode(JSONValue.object($0).serialized) }
        let input = parts.joined(separator: ".")
        guard let algorithm, let signature = try? key.sign(Array(input.utf8), algorithm: algorithm) else {
            throw IdentityError(
                .retryLater,
                .systemFailure,
                "A signature could not be made.",
                hint: "Check that OpenSSL and its default provider are in order."
            )
        }
        return "\(input).\(Base64URL.encode(signature))"
    }
}
