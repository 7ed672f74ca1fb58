internal import IdentityKit

extension ProviderMetadata {
    /// Refuses metadata whose `issuer` is not accepted (OpenID Connect Discovery 1.0 section 4.3).
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
                    "Compare the issuer in providerResponse of this error with the accepted ones (\(accepted.summary)). If the issuer is "
                    + "another provider's, correct \(addressMember), from which the address of the metadata comes. Otherwise correct "
                    + "issuer or issuers; at Shopify, shopID or issuers.",
                reference: "OpenID Connect Discovery 1.0 section 4.3",
                providerResponse: IdentityError.ProviderResponse(error: issuer)
            )
        }
    }
}
