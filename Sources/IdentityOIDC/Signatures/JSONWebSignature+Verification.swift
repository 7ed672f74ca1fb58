package import IdentityCrypto
package import IdentityKit

extension JSONWebSignature {
    /// Checks the signature alone, for signed tokens that are no ID tokens; what the claims mean is the caller's to judge.
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
}
