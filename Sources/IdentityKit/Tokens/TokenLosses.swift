/// What the tokens of a session lost in a refresh: scopes, the refresh token, or both.
public struct TokenLosses: Sendable, Equatable {
    /// The scopes that the provider no longer grants (RFC 6749 section 6), in the order of the old tokens.
    public let scopes: [String]
    /// Whether the refresh token was lost, so that the buyer has to sign in again when the access token has expired.
    public let isRefreshTokenLost: Bool

    init?(from old: TokenSet, to new: TokenSet) {
        scopes = old.scopes.filter { !new.isGranted($0) }
        isRefreshTokenLost = old.refreshToken != nil && new.refreshToken == nil
        guard isRefreshTokenLost || !scopes.isEmpty else { return nil }
    }

    /// The losses as a stable text, for metrics.
    var name: String {
        switch (scopes.isEmpty, isRefreshTokenLost) {
        case (false, false): "scopes"
        case (false, true): "scopes_and_refresh_token"
        default: "refresh_token"
        }
    }
}
