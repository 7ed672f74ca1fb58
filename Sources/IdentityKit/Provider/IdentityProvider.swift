public import IdentityHTTP

/// One configured client at one identity service: what every provider can do.
///
/// A provider keeps no login and no session: it turns an attempt and a callback into tokens, and tokens into newer tokens.
/// ``SessionManager`` does the rest. Calls may come concurrently from any task. Throw ``IdentityError`` with a kind that says
/// whether the buyer's session survives: only ``IdentityError/Kind/signInAgain`` ends it.
///
/// Abilities that not every provider has are protocols of their own: ``BuyerProfileProviding``, ``CartClaimProviding``,
/// ``DeviceAuthorizing``, ``LogoutStateSupporting``, ``BackChannelLogoutSupporting``, ``TokenRevoking``.
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
