extension SandboxOpenIDConfiguration {
    /// The support for a feature of OAuth.
    public enum Feature: String, Sendable, CaseIterable {
        /// The metadata do not list the feature, and the provider does not support it.
        case off
        /// The metadata list the feature, and clients may use it.
        case accepted
        /// The metadata list the feature, and the provider refuses requests that do not use the feature.
        case required
    }

    /// Whether DPoP proofs must contain a nonce (RFC 9449 section 8).
    public enum DPoPNonce: Sendable, Equatable {
        /// Proofs need no nonce.
        case none
        /// The provider has one current nonce; a proof without this nonce gets the error `use_dpop_nonce`.
        ///
        /// ``SandboxOpenID/expireDPoPNonces()`` replaces the nonce.
        case demanded
        /// Each response of the token, pushed-request and userinfo endpoints has a new nonce, which the provider accepts once.
        ///
        /// A proof with another nonce, or with a used nonce, gets the error `use_dpop_nonce`.
        case rotating
    }
}
