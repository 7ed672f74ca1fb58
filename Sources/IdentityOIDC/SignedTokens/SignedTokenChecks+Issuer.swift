internal import IdentityKit

extension SignedTokenChecks {
    func issuer(_ claims: JSONObject) throws(IdentityError) -> String {
        guard let issuer = claims["iss"]?.string, expected.issuers.isAccepted(issuer),
            expected.boundIssuer.map({ $0.isIdentical(to: issuer) }) ?? true,
            expected.issuerTemplate.map({ $0.isIssuer(issuer, of: claims) }) ?? true
        else {
            throw IdentityError(
                .rejected,
                .idTokenIssuer,
                "The issuer of the \(errors.token) is missing or not accepted.",
                hint:
                    "Compare the token's issuer in providerResponse of this error with the accepted issuers "
                    + "(\(expected.boundIssuer ?? expected.issuers.summary)). \(issuerRule)",
                reference: "OpenID Connect Core section 3.1.3.7 item 2",
                providerResponse: IdentityError.ProviderResponse(error: claims["iss"]?.string)
            )
        }
        return issuer
    }

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
}
