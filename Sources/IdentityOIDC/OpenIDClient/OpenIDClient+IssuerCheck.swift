package import IdentityKit

extension OpenIDClient {
    /// The discovered issuer, to which a login is bound; nil if the client does not use discovery, or if the quirks bind no issuer.
    package func boundIssuer(_ discovered: String) -> String? {
        discovery.usesDiscovery && settings.bindsDiscoveredIssuer ? discovered : nil
    }

    /// Refuses to complete a login if the provider's issuer changed after the login started; call this function before the code is sent.
    func checkIssuer(_ issuer: String?, is metadata: ProviderMetadata) throws(IdentityError) {
        guard let issuer, discovery.usesDiscovery, !issuer.isIdentical(to: metadata.issuer) else { return }
        throw IdentityError(
            .rejected,
            .discoveryIssuerMismatch,
            "The provider's issuer changed during the login.",
            hint:
                "Start the login again. If the issuer changes again, ask the provider why: the login's issuer was \(issuer), and the new "
                + "issuer is in providerResponse of this error.",
            reference: "RFC 9700 section 4.4.2",
            providerResponse: IdentityError.ProviderResponse(error: metadata.issuer)
        )
    }

    /// Refuses the tokens of an issuer that this client does not accept, for example after the configuration was changed to another shop.
    ///
    /// Call this function before the tokens are sent. Tokens that an app stored without the buyer have no issuer, and are accepted.
    package func checkIssuer(of tokens: TokenSet) throws(IdentityError) {
        let issuer = tokens.buyer.issuer
        guard issuer.isEmpty || issuers.isAccepted(issuer) else {
            throw IdentityError.issuerChanged(from: issuer, to: issuers.summary)
        }
    }

    /// Like ``checkIssuer(of:)``, but also refuses tokens whose issuer is not ``boundIssuer(_:)``, if that is not nil.
    ///
    /// Equivalent issuers count as one issuer, and tokens without an issuer are accepted.
    package func checkIssuer(of tokens: TokenSet, is metadata: ProviderMetadata) throws(IdentityError) {
        try checkIssuer(of: tokens)
        let issuer = tokens.buyer.issuer
        guard !issuer.isEmpty, let bound = boundIssuer(metadata.issuer), !issuers.isSame(issuer, as: bound) else {
            return
        }
        throw IdentityError.issuerChanged(from: issuer, to: bound)
    }
}
