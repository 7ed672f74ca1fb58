internal import FoundationEssentials
public import IdentityKit

/// What Shopify's token endpoint answered, under the names of Shopify's guide.
///
/// The members are texts, as in the guide, so that code written from it reads the same; underneath they are secrets. The
/// value does not print, dump, mirror or encode: what leaks a token is the member's name in your own code, which can be
/// found with a search.
public struct CustomerAccountAccessTokenResponse: Sendable {
    /// The same as the rest of the SDK takes it, for example `SessionManager.establish(_:provider:)`.
    public let tokens: TokenSet

    /// What to send, unchanged and without `Bearer`, to the Customer Account API and as a cart's `customerAccessToken`.
    public var accessToken: String { tokens.accessToken.reveal() }

    /// For how many seconds the access token lives, counted from when it was asked for.
    public var expiresIn: Int {
        (tokens.expiresAt?.timeIntervalSince(tokens.issuedAt)).flatMap { Int(exactly: $0.rounded()) } ?? 0
    }

    /// What a logout needs.
    ///
    /// A refresh brings none; the login's is kept.
    public var idToken: String? { tokens.idToken?.reveal() }

    /// What renews the access token: spend it once, then keep the new one.
    ///
    /// Clients of an app get none, which is normal.
    public var refreshToken: String? { tokens.refreshToken?.reveal() }

    /// `Bearer` where Shopify does not say; it is not sent anywhere.
    public var tokenType: String { tokens.tokenType }
}

/// The name of ``CustomerAccountAccessTokenResponse`` in Shopify's tutorial.
public typealias OAuthTokenResult = CustomerAccountAccessTokenResponse

/// The name of ``CustomerAccountAccessTokenResponse`` where the guide refreshes a token.
public typealias RefreshedTokenResponse = CustomerAccountAccessTokenResponse

extension CustomerAccountAccessTokenResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Which tokens there are and for how long; none of them.
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
