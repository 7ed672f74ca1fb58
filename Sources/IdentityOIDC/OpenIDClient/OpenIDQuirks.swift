public import IdentityKit

/// The differences between a provider and OpenID Connect or OAuth 2.0.
///
/// Every requirement has a default, which is the standard's behaviour. Implement only the differences:
///
/// ```swift
/// struct ExampleQuirks: OpenIDQuirks {
///     func buyer(from claims: IDTokenClaims) -> Buyer {
///         var buyer = claims.standardBuyer
///         buyer.displayName = claims.text("nickname")
///         return buyer
///     }
/// }
/// ```
///
/// The functions must have no side effects: the SDK may call each of them from any task, and more than once.
public protocol OpenIDQuirks: Sendable {
    /// The constant differences, such as parameters with other names; a client reads them once, when it is created.
    var settings: OpenIDQuirkSettings { get }

    /// Form fields that a code exchange sends in addition to the standard ones (RFC 6749 section 4.1.3); by default none.
    func codeExchangeFields(for attempt: LoginAttempt) -> [(name: String, value: String)]

    /// Form fields that a refresh sends in addition to the standard ones (RFC 6749 section 6); by default none.
    func refreshFields(for tokens: TokenSet) -> [(name: String, value: String)]

    /// The scopes after a refresh whose response has no `scope`; by default the scopes before the refresh (RFC 6749 section 6).
    func scopes(afterRefreshing tokens: TokenSet) -> [String]

    /// The error for an error response of the token endpoint, or of another endpoint that authenticates the client.
    ///
    /// The default is ``TokenErrorResponse/standardError``. Only an error of kind `signInAgain` with code `invalidGrant` ends a session.
    func error(for failure: TokenErrorResponse) -> IdentityError

    /// The buyer whom a validated ID token describes; by default `IDTokenClaims.standardBuyer`.
    func buyer(from claims: IDTokenClaims) -> Buyer
}

extension OpenIDQuirks {
    /// The default: no setting differs from the standards.
    public var settings: OpenIDQuirkSettings { OpenIDQuirkSettings() }

    /// The default: no additional field.
    public func codeExchangeFields(for attempt: LoginAttempt) -> [(name: String, value: String)] { [] }

    /// The default: no additional field.
    public func refreshFields(for tokens: TokenSet) -> [(name: String, value: String)] { [] }

    /// The default: the scopes before the refresh.
    public func scopes(afterRefreshing tokens: TokenSet) -> [String] { tokens.scopes }

    /// The default: ``TokenErrorResponse/standardError``, the error by RFC 6749 section 5.2.
    public func error(for failure: TokenErrorResponse) -> IdentityError { failure.standardError }

    /// The default: the buyer whom the standard claims describe (OpenID Connect Core section 5.1).
    public func buyer(from claims: IDTokenClaims) -> Buyer { claims.standardBuyer }
}
