public import IdentityHTTP

/// One configured client at one identity service: what every provider can do.
///
/// A provider keeps no login and no session: it turns an attempt and a callback into tokens, and tokens into newer tokens.
/// ``SessionManager`` does the rest. Calls may come concurrently from any task. Throw ``IdentityError`` with a kind that says
/// whether the buyer's session survives: only ``IdentityError/Kind/signInAgain`` ends it.
///
/// Abilities that not every provider has are protocols of their own: ``BuyerProfileProviding``, ``CartClaimProviding``,
/// ``DeviceAuthorizing``, ``LogoutStateSupporting``, ``BackChannelLogoutSupporting``, ``TokenRevoking``,
/// ``ResourceAuthorizing``.
public protocol IdentityProvider: Sendable {
    /// Name, kind and client of this provider.
    var descriptor: ProviderDescriptor { get }

    /// Begins a login: makes the authorization URL and what must be remembered until the callback.
    func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest

    /// Ends a login: checks the callback against the attempt, exchanges the code, validates the answer.
    func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet

    /// Spends the refresh token; what the answer leaves out is carried over from the old tokens.
    func refresh(_ tokens: TokenSet) async throws -> TokenSet

    /// Where to send the buyer's browser to end the provider's own session, or nil when there is no such page.
    func logoutURL(for tokens: TokenSet, returningTo postLogoutRedirectURI: String?) async throws -> HTTPURL?
}

/// A provider that can look up who the buyer is.
public protocol BuyerProfileProviding: Sendable {
    /// Asks the provider for the buyer's profile.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/accessTokenRefused`` when a newer access token may help.
    func buyerProfile(for tokens: TokenSet) async throws -> Buyer
}

/// A provider whose sessions mean something to a Storefront cart.
public protocol CartClaimProviding: Sendable {
    /// What a cart may know of the buyer; see ``CartClaim``.
    func cartClaim(for tokens: TokenSet) async throws -> CartClaim
}

/// A provider whose access tokens an app takes to resource servers of its own.
///
/// Send a token only to servers that the app's configuration names, never to an address that came from outside (RFC 9700 section
/// 4.9.1).
public protocol ResourceAuthorizing: Sendable {
    /// The headers that present a session's access token with one request: `Authorization`, and `DPoP` for a bound token.
    ///
    /// A proof is good for one request to this URL with this method: ask anew for every request, a repeated one too.
    ///
    /// - Throws: ``IdentityError``, of kind ``IdentityError/Kind/configuration`` for a URL that is not https, and for a bound token
    ///   whose key is missing.
    func authorizationHeaders(for method: HTTPMethod, _ url: HTTPURL, with tokens: TokenSet) throws -> HTTPHeaders

    /// Hears what the resource server answered: call it for every answer, so that the server's latest nonce is known.
    ///
    /// - Parameters:
    ///   - sent: The headers that ``authorizationHeaders(for:_:with:)`` made for the request.
    ///   - status: The answer's status.
    ///   - headers: The answer's headers.
    ///   - url: Where the request went.
    /// - Returns: Whether the request was refused only because its proof lacked that nonce (RFC 9449 section 9). Then send it
    ///   again, once, with new headers; it was not carried out. False where the proof held the nonce already.
    func shouldRepeat(
        _ sent: HTTPHeaders,
        answeredWith status: Int,
        _ headers: HTTPHeaders,
        from url: HTTPURL
    ) -> Bool
}
