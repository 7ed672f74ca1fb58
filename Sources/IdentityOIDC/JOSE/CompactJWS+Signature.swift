package import IdentityCrypto
package import IdentityKit

extension CompactJWS {
    /// Checks the algorithm and verifies the signature; the caller must check the payload.
    package func verify(keys: JSONWebKeySet, algorithms: [SignatureAlgorithm]) throws(IdentityError) {
        guard let algorithm = SignatureAlgorithm(name: algorithm), algorithms.contains(algorithm) else {
            let accepted = algorithms.isEmpty ? "no algorithm" : algorithms.map(\.rawValue).joined(separator: ", ")
            let problem = "has the `alg` \(LoggableName.shown(self.algorithm)); accepted: \(accepted)"
            let advice =
                algorithms.isEmpty
                ? "Pass a supported algorithm, for example ES256, to JWTSignatureVerifier."
                : "Ask the token's issuer to sign with an accepted algorithm."
            throw Self.refusal(.idTokenAlgorithm, problem, advice, "4.1.1")
        }
        let advice =
            "Check that endpoints.jwks (in Swift: keySetURL of JWTSignatureVerifier) is the key set of the token's issuer."
        try checkSignature(algorithm, keys) { Self.refusal($0, $1, advice, $0 == .idTokenKeyUnknown ? "4.1.4" : "5.2") }
    }

    /// Tries at most eight keys that fit the token's `kid` and algorithm, until one key verifies the signature.
    ///
    /// The caller must have accepted the algorithm. `mayUse` becomes the parameter `issuer` of
    /// ``JSONWebKeySet/candidates(keyID:algorithm:issuer:)``.
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

    private static func refusal(
        _ code: IdentityError.Code,
        _ problem: String,
        _ advice: String,
        _ section: String
    ) -> IdentityError {
        IdentityError(
            .rejected,
            code,
            "The token \(problem).",
            hint: "\(advice) The token was not used.",
            reference: "RFC 7515 section \(section)"
        )
    }
}
