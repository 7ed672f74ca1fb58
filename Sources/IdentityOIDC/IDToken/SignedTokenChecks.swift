internal import IdentityCrypto
internal import IdentityKit

/// The checks that ID tokens and logout tokens have in common (OpenID Connect Core section 3.1.3.7, Back-Channel Logout 1.0 section
/// 2.6): pure functions of the token, the keys and the expectations.
struct SignedTokenChecks {
    let errors: SignedTokenErrors
    let expected: SignedTokenExpectations

    /// The algorithm, which must be an accepted one; `typ` must be missing or one of the given types, in lower case.
    func algorithm(of token: JSONWebToken, types: [String]) throws(IdentityError) -> SignatureAlgorithm {
        guard token.type.map({ types.contains($0.lowercased()) }) ?? true else {
            throw failure(.idTokenMalformed, "is a token of another type (typ)", "section 2")
        }
        let algorithm = SignatureAlgorithm(name: token.algorithm)
        guard let algorithm, expected.algorithms.contains(algorithm) else {
            let name = LoggableName.shown(token.algorithm)
            let accepted = expected.algorithms.map(\.rawValue).joined(separator: ", ")
            let advice =
                algorithm == nil
                ? "Let the provider sign with one of them; none and HMAC are never accepted."
                : "If the provider signs with \(name) on purpose, add it to `algorithms` (kind openid)."
            throw errors.error(
                .idTokenAlgorithm,
                "is signed with \(name); accepted: \(accepted.isEmpty ? "no algorithm" : accepted)",
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
        // Only a key set for several tenants names an issuer for each key. `iss` is not verified yet, so here it may only exclude keys.
        func mayUse(keyIssuer: String) -> Bool {
            guard let template = expected.issuerTemplate, let issuer = token.claims["iss"]?.string else { return true }
            return template.isIssuer(keyIssuer, ofKeyFor: issuer)
        }
        try token.checkSignature(algorithm, keys, mayUse: mayUse) { code, problem in
            failure(code, problem, code == .idTokenKeyUnknown ? "section 10.1.1" : "section 3.1.3.7 item 6")
        }
    }

    func issuer(_ claims: JSONObject) throws(IdentityError) -> String {
        guard let issuer = claims["iss"]?.string, expected.issuers.isAccepted(issuer),
            expected.boundIssuer.map({ $0.isIdentical(to: issuer) }) ?? true,
            expected.issuerTemplate.map({ $0.isIssuer(issuer, of: claims) }) ?? true
        else {
            throw IdentityError(
                .rejected,
                .idTokenIssuer,
                "The \(errors.token) has no issuer, or another than is accepted.",
                hint:
                    "Compare the token's issuer in providerAnswer with what is accepted (\(acceptedIssuers)). \(issuerRule)",
                reference: "OpenID Connect Core section 3.1.3.7 item 2",
                providerAnswer: IdentityError.ProviderAnswer(error: claims["iss"]?.string)
            )
        }
        return issuer
    }

    private var acceptedIssuers: String { expected.boundIssuer ?? expected.issuers.summary }

    /// The hint about a wrong issuer: whether the configuration can accept it.
    private var issuerRule: String {
        if expected.boundIssuer != nil { return "It must be the issuer at which the login started." }
        if expected.issuerTemplate != nil { return "It must contain the tenant of the token's tid." }
        return "Only if it belongs to this provider, set issuers to the complete list of accepted issuers."
    }

    func subject(_ claims: JSONObject) throws(IdentityError) -> String {
        var subject = claims["sub"]?.string
        if expected.acceptsNumericSubject, let number = claims["sub"]?.number?.integer { subject = String(number) }
        guard let subject, !subject.isEmpty, subject.utf8.count <= 255 else {
            throw failure(.idTokenSubject, "has no usable sub", "section 2")
        }
        return subject
    }

    func failure(_ code: IdentityError.Code, _ problem: String, _ section: String) -> IdentityError {
        errors.error(code, problem, section)
    }
}
