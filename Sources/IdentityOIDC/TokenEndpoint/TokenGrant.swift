/// The grant type of a token request; the meaning of some errors depends on it.
public enum TokenGrant: Sendable {
    /// An authorization code (RFC 6749 section 4.1.3).
    case authorizationCode
    /// A refresh token (RFC 6749 section 6).
    case refreshToken
    /// A device code (RFC 8628 section 3.4).
    case deviceCode
}
