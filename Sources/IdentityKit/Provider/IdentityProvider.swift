public import IdentityHTTP

/// One configured client at one identity service.
///
/// A provider exchanges a callback for tokens, and a refresh token for newer tokens. ``SessionManager`` stores the logins and sessions.
/// Several tasks may call the methods at the same time.
///
/// Throw ``IdentityError`` with the kind that tells the caller what to do. After a failed refresh, only two errors can end the buyer's
/// session: a ``RefreshRefusal`` of kind ``RefreshRefusal/Kind/invalidGrant``, and an ``IdentityError`` of kind
/// ``IdentityError/Kind/signInAgain`` with code ``IdentityError/Code/invalidGrant``.
///
/// Optional abilities are separate protocols: ``BuyerProfileProviding``, ``UserInfoProviding``, ``CartClaimProviding``,
/// ``DeviceAuthorizing``, ``LogoutStateSupporting``, ``BackChannelLogoutSupporting``, ``TokenRevoking``, ``ResourceAuthorizing``,
/// ``JournaledRefreshing``, ``KeySetStateProviding``.
///
/// ```swift
/// let request = try await provider.authorizationRequest(LoginOptions())
/// // Store request.attempt, send the browser to request.url, and receive the callback.
/// let tokens = try await provider.exchange(LoginCallback(url: callbackURL), for: request.attempt)
/// ```
public protocol IdentityProvider: Sendable {
    /// The description of this provider, for example its name, kind and client.
    var descriptor: ProviderDescriptor { get }

    /// Begins a login: makes the authorization URL and the login attempt to store until the callback; throws ``IdentityError``.
    func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest

    /// Completes a login: checks the untrusted callback against the stored attempt, exchanges the code and validates the response.
    ///
    /// - Throws: ``IdentityError``.
    func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet

    /// Refreshes tokens (RFC 6749 section 6).
    ///
    /// - Returns: The new tokens. Keep the old value of each member that the response leaves out. If the response states no lifetime, use
    ///   the old access token's lifetime.
    /// - Throws: ``RefreshRefusal`` if you know what the failure means for the refresh token, with kind ``RefreshRefusal/Kind/throttled``
    ///   if the provider requests a pause. Otherwise ``IdentityError`` or `HTTPTransportError`, which ``RefreshRefusal/init(_:)``
    ///   interprets. After an error of any other type, the SDK assumes that the refresh token may have been used.
    func refresh(_ tokens: TokenSet) async throws -> TokenSet

    /// The provider's logout page, which ends the provider's own session in the buyer's browser.
    ///
    /// The browser returns to `postLogoutRedirectURI`, an address that is registered at the provider. ``SessionManager`` passes nil if
    /// neither the options of the logout nor ``descriptor`` contain an address.
    ///
    /// - Returns: The URL; nil when the provider has no logout page for these tokens.
    /// - Throws: ``IdentityError`` when the URL could not be created, for example because the provider's metadata could not be fetched.
    func logoutURL(for tokens: TokenSet, returningTo postLogoutRedirectURI: String?) async throws -> HTTPURL?
}

/// A provider that can fetch the buyer's profile.
public protocol BuyerProfileProviding: Sendable {
    /// Fetches the buyer's profile from the provider.
    ///
    /// - Throws: ``IdentityError``, with code ``IdentityError/Code/accessTokenRefused`` when the provider rejects the access token and may
    ///   accept a newer one.
    func buyerProfile(for tokens: TokenSet) async throws -> Buyer
}

/// A provider whose sessions can give a Storefront cart an identity.
public protocol CartClaimProviding: Sendable {
    /// The identity that the session with these tokens can give to a cart; throws ``IdentityError``.
    func cartClaim(for tokens: TokenSet) async throws -> CartClaim
}

/// A provider whose access tokens are accepted by resource servers, such as the app's own APIs.
///
/// Send a token only to servers that the app's configuration names, never to an address from a request or response (RFC 9700
/// section 4.9.1).
public protocol ResourceAuthorizing: Sendable {
    /// The headers that carry the access token in one request: `Authorization`, and `DPoP` for a DPoP-bound token.
    ///
    /// A DPoP proof is valid for one request, so make new headers for every request, even for a repeated one.
    ///
    /// - Throws: ``IdentityError``, with kind ``IdentityError/Kind/configuration`` if the URL is not https, if the key of a DPoP-bound
    ///   token is missing, or if ``ProviderDescriptor/resources`` is not empty and does not contain the URL's origin. A provider may permit
    ///   http to loopback addresses.
    func authorizationHeaders(for method: HTTPMethod, _ url: HTTPURL, with tokens: TokenSet) throws -> HTTPHeaders

    /// Whether to repeat a request because its DPoP proof lacked the server's nonce (RFC 9449 section 9).
    ///
    /// Call the method for every response, even a successful one: the method records the server's latest nonce. `sent` are the headers that
    /// ``authorizationHeaders(for:_:with:)`` made for the request.
    ///
    /// - Returns: True if the server rejected the request only because of the nonce, and so did not execute it: send the request once more,
    ///   with new headers. False in every other case, also if the proof already contained the response's nonce.
    func shouldRepeat(
        _ sent: HTTPHeaders,
        answeredWith status: Int,
        _ headers: HTTPHeaders,
        from url: HTTPURL
    ) -> Bool
}
