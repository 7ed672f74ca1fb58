package import IdentityCrypto
package import IdentityKit

extension CompactJWS {
    /// Checks the algorithm and verifies the signature; the caller must check the payload.
    ///
    /// - Throws: `IdentityError`; with code `id_token_key_unknown` when no key fits the token, and with code `id_token_signature` when no
    ///   key verifies the signature. After these two codes, newer keys may verify the signature.
    package func verify(keys: JSONWebKeySet, algorithms: [SignatureAlgorithm]) throws(IdentityError) {
        guard let algorithm = SignatureAlgorithm(name: algorithm), algorithms.contains(algorithm) else {
            let accepted = algorithms.isEmpty ? "no algorithm" : algorithms.map(\.rawValue).joined(separator: ", ")
            let problem = "is signed with \(LoggableName.shown(self.algorithm)); accepted: \(accepted)"
            throw Self.refusal(.idTokenAlgorithm, problem, "4.1.1")
        }
        try checkSignature(algorithm, keys) { Self.refusal($0, $1, $0 == .idTokenKeyUnknown ? "4.1.4" : "5.2") }
    }

    /// Checks the signature with the keys that fit the token's `kid` and algorithm, at most eight, until one of them verifies it.
    ///
    /// - Parameters:
    ///   - algorithm: The algorithm, which the caller has accepted.
    ///   - keys: The provider's keys.
    ///   - mayUse: Whether a key may be used whose JWK names the given issuer.
    ///   - failure: Makes the error from its code and the problem.
    /// - Throws: The error with code `id_token_key_unknown` or `id_token_signature`.
    func checkSignature(
        _ algorithm: SignatureAlgorithm,
        _ keys: JSONWebKeySet,
        mayUse: (String) -> Bool = { _ in true },
        failure: (IdentityError.Code, String) -> IdentityError
    ) throws(IdentityError) {
        let candidates = keys.candidates(keyID: keyID, algorithm: algorithm, issuer: mayUse)
        guard !candidates.isEmpty else {
            throw failure(
                .idTokenKeyUnknown,
                "is signed with a key that the provider's key set lacks, or that cannot be used"
            )
        }
        guard candidates.contains(where: { $0.verify(signature, of: signingInput, algorithm: algorithm) }) else {
            throw failure(.idTokenSignature, "has an invalid signature")
        }
    }

    private static func refusal(_ code: IdentityError.Code, _ problem: String, _ section: String) -> IdentityError {
        IdentityError(
            .rejected,
            code,
            "The token \(problem).",
            hint: code == .idTokenAlgorithm
                ? "Ask the token's issuer to sign with an accepted algorithm. The token was not used."
                : "Check that endpoints.jwks (in Swift: keySetURL of JWTSignatureVerifier) is the key set of the token's issuer. The "
                    + "token was not used.",
            reference: "RFC 7515 section \(section)"
        )
    }
}
