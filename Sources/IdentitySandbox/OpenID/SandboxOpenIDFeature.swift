extension SandboxOpenIDConfiguration {
    /// Whether the provider supports a feature, and whether clients must use it.
    public enum Feature: String, Sendable, CaseIterable {
        /// The metadata do not list the feature, and the provider ignores it.
        case off
        /// The metadata list the feature, and clients may use it.
        case accepted
        /// The metadata list the feature, and requests without it are refused.
        case required
    }

    /// Whether DPoP proofs must contain a nonce (RFC 9449 section 8).
    public enum DPoPNonce: Sendable, Equatable {
        /// No nonce.
        case none
        /// Each proof must contain the current nonce, otherwise it is refused with `use_dpop_nonce`. ``SandboxOpenID/expireDPoPNonces()``
        /// replaces the nonce.
        case demanded
        /// Each proof must contain a nonce of an earlier response, which is accepted once; otherwise it is refused with `use_dpop_nonce`.
        /// Each response of the token, pushed-request and userinfo endpoints has a new nonce.
        case rotating
    }
}
