package import IdentityCrypto
package import IdentityKit

/// A JWS in compact form (RFC 7515 section 3.1), taken apart but not yet verified; what was signed may be any bytes.
package struct CompactJWS: Sendable {
    /// The `alg` as it stands in the header; only a list of the configuration gives it a meaning.
    let algorithm: String
    let keyID: String?
    let type: String?
    /// The bytes that were signed.
    let signingInput: [UInt8]
    package let payload: [UInt8]
    package let signature: [UInt8]

    static let maximumBytes = 32_768

    /// Takes a token apart.
    ///
    /// The size is bounded before anything is allocated for it or its parts. Any `crit` is refused: this client understands no
    /// extension (RFC 7515 section 4.1.11). Keys and addresses in the header (`jwk`, `jku`, `x5u`, `x5c`) are never looked at.
    package init(parsing token: Secret) throws(IdentityError) {
        guard token.count <= Self.maximumBytes else { throw Self.malformed("is larger than 32 KiB") }
        let bytes = token.revealBytes()
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw Self.malformed("does not have three parts") }
        guard let headerBytes = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw Self.malformed("is not canonical base64url") }
        guard let header = (try? JSONValue(parsing: headerBytes))?.object else {
            throw Self.malformed("has a header that is no JSON object")
        }
        guard header["crit"] == nil, header["b64"] == nil else {
            throw Self.malformed("uses an extension that this client does not know")
        }
        guard let algorithm = header["alg"]?.string else { throw Self.malformed("names no algorithm") }
        if let keyID = header["kid"], keyID.string == nil { throw Self.malformed("has a kid that is no text") }
        if let type = header["typ"], type.string == nil { throw Self.malformed("has a typ that is no text") }
        self.algorithm = algorithm
        self.payload = payload
        self.signature = signature
        keyID = header["kid"]?.string
        type = header["typ"]?.string
        signingInput = Array(bytes[..<(parts[1].endIndex)])
    }

    /// Checks the signature alone; what was signed is the caller's to judge.
    ///
    /// - Throws: `IdentityError`; with code `id_token_key_unknown` or `id_token_signature` when newer keys may help.
    package func verify(keys: JSONWebKeySet, algorithms: [SignatureAlgorithm]) throws(IdentityError) {
        guard let algorithm = SignatureAlgorithm(rawValue: algorithm), algorithms.contains(algorithm) else {
            throw Self.refusal(.idTokenAlgorithm, "is signed with an algorithm that is not on the list", "4.1.1")
        }
        let candidates = keys.candidates(keyID: keyID, algorithm: algorithm)
        guard !candidates.isEmpty else {
            throw Self.refusal(.idTokenKeyUnknown, "names a key that is not published", "4.1.4")
        }
        guard candidates.contains(where: { $0.verify(signature, of: signingInput, algorithm: algorithm) }) else {
            throw Self.refusal(.idTokenSignature, "has a wrong signature", "5.2")
        }
    }

    private static func refusal(_ code: IdentityError.Code, _ problem: String, _ section: String) -> IdentityError {
        IdentityError(
            .rejected,
            code,
            "The token \(problem).",
            hint: "Nothing of it was used. Check that the key set is the issuer's.",
            reference: "RFC 7515 section \(section)"
        )
    }

    static func malformed(_ problem: String) -> IdentityError {
        IdentityError(
            .rejected,
            .idTokenMalformed,
            "The ID token \(problem).",
            hint: "The provider's answer is broken or was tampered with.",
            reference: "RFC 7515 section 5.2"
        )
    }
}
