/// The scopes and the refresh token that the old tokens had and the new ones lack after a refresh.
public struct TokenLosses: Sendable, Equatable {
    /// The scopes that are no longer granted, in the old order (RFC 6749 section 6 permits a provider to narrow them).
    public let scopes: [String]
    /// Whether the new tokens have no refresh token.
    ///
    /// Without a refresh token, the buyer has to sign in again when the access token has expired.
    public let isRefreshTokenLost: Bool

    /// Compares tokens with the refreshed ones; nil if nothing was lost.
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
