/// Which of the grants a token request makes; what went wrong means different things for each.
package enum TokenGrant: Sendable {
    /// An authorization code (RFC 6749 section 4.1.3).
    case authorizationCode
    /// A refresh token (RFC 6749 section 6).
    case refreshToken
    /// A device code (RFC 8628 section 3.4).
    case deviceCode
}
