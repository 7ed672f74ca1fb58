extension SandboxOpenIDConfiguration {
    /// Whether the provider can do something, and whether the client has a choice.
    public enum Feature: Sendable, Equatable {
        /// The provider knows nothing of it: not announced, ignored.
        case off
        /// Announced; clients may use it.
        case accepted
        /// Announced; requests that do not use it are refused.
        case required
    }

    /// Whether DPoP proofs must hold a nonce (RFC 9449 section 8).
    public enum DPoPNonce: Sendable, Equatable {
        /// No nonce.
        case none
        /// One nonce until ``SandboxOpenID/expireDPoPNonces()``; who has none or an old one hears `use_dpop_nonce`.
        case demanded
        /// Each answer of the token, pushed-request and userinfo endpoints brings a nonce that is good once.
        case rotating
    }
}
