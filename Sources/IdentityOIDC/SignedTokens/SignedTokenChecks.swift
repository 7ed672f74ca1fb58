internal import IdentityKit

/// The checks that ID tokens, logout tokens and signed UserInfo responses have in common (OpenID Connect Core section
/// 3.1.3.7, Back-Channel Logout 1.0 section 2.6): pure functions of the token, the keys and the expectations.
struct SignedTokenChecks {
    let errors: SignedTokenErrors
    let expected: SignedTokenExpectations

    func issuer(_ claims: JSONObject) throws(IdentityError) -> String {
        guard let issuer = claims["iss"]?.string, expected.issuers.isAccepted(issuer),
            expected.boundIssuer.map({ $0.isIdentical(to: issuer) }) ?? true,
            expected.issuerTemplate.map({ $0.isIssuer(issuer, of: claims) }) ?? true
        else {
            throw IdentityError(
                .rejected,
                .idTokenIssuer,
                "The \(errors.token) has no issuer, or one that is not accepted.",
                hint:
                    "Compare the token's issuer in providerResponse of this error with what is accepted (\(acceptedIssuers)). "
                    + "\(issuerRule)",
                reference: "OpenID Connect Core section 3.1.3.7 item 2",
                providerResponse: IdentityError.ProviderResponse(error: claims["iss"]?.string)
            )
        }
        return issuer
    }

    private var acceptedIssuers: String { expected.boundIssuer ?? expected.issuers.summary }

    /// The second part of the hint about a wrong issuer: how to correct the configuration, if the configuration may be wrong.
    private var issuerRule: String {
        if expected.boundIssuer != nil {
            return
                "The token's issuer must be the issuer at which the login started. If the error persists, report the token's issuer "
                + "to the provider."
        }
        if expected.issuerTemplate != nil {
            return
                "Check directory in the provider's configuration. The token's issuer must contain the tenant ID of the token's tid claim."
        }
        return
            "If the token's issuer belongs to this provider, set issuers (in OpenIDClient.Configuration: acceptedIssuers) in the "
            + "provider's configuration to all accepted issuers. Otherwise leave the configuration unchanged."
    }

    func subject(_ claims: JSONObject) throws(IdentityError) -> String {
        let subject = Self.subject(claims, acceptingNumber: expected.acceptsNumericSubject)
        guard let subject, !subject.isEmpty, subject.utf8.count <= 255 else {
            throw errors.error(.idTokenSubject, "has no sub, or its sub is invalid", "section 2")
        }
        return subject
    }

    /// The claim `sub`: a string or, if `acceptsNumber` is true, a JSON integer; nil if it is missing or has another type.
    static func subject(_ claims: JSONObject, acceptingNumber acceptsNumber: Bool) -> String? {
        let number = acceptsNumber ? claims["sub"]?.number?.integer : nil
        return number.map { String($0) } ?? claims["sub"]?.string
    }
}
