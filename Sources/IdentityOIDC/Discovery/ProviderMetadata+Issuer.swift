internal import IdentityKit

extension ProviderMetadata {
    /// Refuses a discovery document that names an issuer that is not accepted (OpenID Connect Discovery 1.0 section 4.3).
    ///
    /// - Parameters:
    ///   - accepted: The accepted issuers.
    ///   - addressMember: The member of the provider's configuration from which the document's address comes.
    /// - Throws: `IdentityError` with code `discovery_issuer_mismatch`.
    func checkIssuer(_ accepted: IssuerPolicy, addressMember: String) throws(IdentityError) {
        guard accepted.isAccepted(issuer) else {
            throw IdentityError(
                .rejected,
                .discoveryIssuerMismatch,
                "The provider's metadata name an issuer that is not accepted.",
                hint:
                    "Compare the issuer in providerResponse with the accepted ones (\(accepted.summary)). Correct "
                    + "\(addressMember), from which the address comes, or the accepted issuers (issuers; at "
                    + "Shopify also shopID).",
                reference: "OpenID Connect Discovery 1.0 section 4.3",
                providerResponse: IdentityError.ProviderResponse(error: issuer)
            )
        }
    }
}
