internal import FoundationEssentials
public import IdentityKit

/// The response of Shopify's token endpoint, with the names of Shopify's guide.
///
/// The members are strings, as in the guide, so that its code compiles unchanged. The value itself does not print, dump, mirror or
/// encode: only code that reads a member can leak a token, and a text search finds that code.
public struct CustomerAccountAccessTokenResponse: Sendable {
    /// The tokens as the rest of the SDK uses them, for example `SessionManager.establish(_:provider:)`.
    public let tokens: TokenSet

    /// The access token; send it unchanged and without `Bearer` to the Customer Account API and as a cart's `customerAccessToken`.
    public var accessToken: String { tokens.accessToken.reveal() }

    /// The lifetime of the access token in seconds, from the start of the token request.
    public var expiresIn: Int {
        (tokens.expiresAt?.timeIntervalSince(tokens.issuedAt)).flatMap { Int(exactly: $0.rounded()) } ?? 0
    }

    /// The ID token, which a logout needs.
    ///
    /// A refresh returns none; that of the login is kept.
    public var idToken: String? { tokens.idToken?.reveal() }

    /// The refresh token: use it once, then store the new one.
    ///
    /// Clients of type app get none, which is normal.
    public var refreshToken: String? { tokens.refreshToken?.reveal() }

    /// The token type; `Bearer` if the response has none.
    public var tokenType: String { tokens.tokenType }
}

/// The name of ``CustomerAccountAccessTokenResponse`` in Shopify's tutorial.
public typealias OAuthTokenResult = CustomerAccountAccessTokenResponse

/// The name of ``CustomerAccountAccessTokenResponse`` in the guide's section on refresh.
public typealias RefreshedTokenResponse = CustomerAccountAccessTokenResponse

extension CustomerAccountAccessTokenResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Which tokens there are and their lifetime, without the tokens.
    public var description: String {
        let others = [("refresh token", tokens.refreshToken), ("ID token", tokens.idToken)]
            .compactMap { $1 == nil ? nil : $0 }
        return "CustomerAccountAccessTokenResponse(\((["access token"] + others).joined(separator: ", ")), "
            + "expires in \(expiresIn) s)"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
