internal import IdentityCrypto
internal import IdentityKit

extension SignedTokenChecks {
    /// The token's algorithm, which must be accepted; `typ` must be missing or one of `types`, which are in lower case.
    func algorithm(of token: JSONWebToken, types: [String]) throws(IdentityError) -> SignatureAlgorithm {
        guard token.jws.type.map({ types.contains($0.lowercased()) }) ?? true else {
            throw errors.error(.idTokenMalformed, "has the typ of another kind of token", "section 2")
        }
        let algorithm = SignatureAlgorithm(name: token.jws.algorithm)
        guard let algorithm, expected.algorithms.contains(algorithm) else {
            let name = LoggableName.shown(token.jws.algorithm)
            let accepted = expected.algorithms.map(\.rawValue).joined(separator: ", ")
            let advice =
                algorithm == nil
                ? "Ask the provider to sign with an accepted algorithm. The SDK never accepts \"none\" or an HMAC algorithm."
                : "If the provider signs with \(name) on purpose, add it to `algorithms` (kind openid)."
            throw errors.error(
                .idTokenAlgorithm,
                "has the `alg` \(name); accepted: \(accepted.isEmpty ? "no algorithm" : accepted)",
                "section 3.1.3.7 item 7",
                advice: advice
            )
        }
        return algorithm
    }

    func checkSignature(
        _ token: JSONWebToken,
        _ algorithm: SignatureAlgorithm,
        _ keys: JSONWebKeySet
    ) throws(IdentityError) {
        // In a key set for several tenants, a key may name the issuers whose tokens it signs. The unverified `iss` can only exclude keys.
        func mayUse(keyIssuer: String) -> Bool {
            guard let template = expected.issuerTemplate, let issuer = token.claims["iss"]?.string else { return true }
            return template.isIssuer(keyIssuer, ofKeyFor: issuer)
        }
        try token.jws.checkSignature(algorithm, keys, mayUse: mayUse) { code, problem in
            errors.error(code, problem, code == .idTokenKeyUnknown ? "section 10.1.1" : "section 3.1.3.7 item 6")
        }
    }
}
