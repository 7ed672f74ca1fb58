internal import IdentityKit

/// The constant differences between a provider and OpenID Connect or OAuth 2.0; the defaults follow the standards.
public struct OpenIDQuirkSettings: Sendable {
    // MARK: The authorization request and its response

    /// Whether a `nonce` is sent; if not, the client may accept the ID token of another login of this client.
    public var sendsNonce = true
    /// Whether PKCE is used (RFC 7636); if not, an attacker who can authenticate as this client can use a stolen code.
    public var usesPKCE = true
    /// The length of `state` in random bytes, at least 6; with fewer than 16, an attacker can guess `state` more easily than RFC 6749
    /// section 10.10 permits.
    public var stateByteCount = 32
    /// The length of `state` in characters, for providers that require a certain length; at least 8; nil keeps all characters.
    ///
    /// A character has 6 random bits. With fewer than 22 characters, an attacker can guess `state` more easily than RFC 6749
    /// section 10.10 permits.
    public var stateLength: Int?
    /// Whether a login is bound to the issuer that discovery names; if false, the ID token may name any of the accepted issuers.
    public var bindsDiscoveredIssuer = true
    /// The name of the authorization parameter that sets the language of the login page.
    public var localeParameter = "ui_locales"
    /// The names of the callback parameters that may contain the authorization code.
    public var codeParameters = ["code"]
    /// Whether the buyer's name comes from the callback parameter `user` if the ID token has no name.
    ///
    /// `Buyer.hasUnverifiedName` is true for a name from this parameter, because the parameter has no signature.
    public var readsUserParameter = false
    /// The names of errors that the provider sends in `code` instead of in `error`.
    public var errorsInCode: [String] = []

    // MARK: The token endpoint

    /// Whether a token or revocation request with Basic credentials also has `client_id` in the body, for providers that require it.
    ///
    /// RFC 6749 section 4.1.3 requires `client_id` only without client authentication. Some providers reject the second client id.
    public var sendsClientIDBesideBasic = false
    /// Whether the secret of ``ClientAuthentication/secretPost(_:)`` directly follows `client_id` in a form; if not, it is at the end.
    public var secretFollowsClientID = false
    /// Whether the list of authentication methods in the provider's metadata is complete, so that it applies to every type of client.
    ///
    /// If true, and if the list lacks the configured method, the hint about a rejected client says so.
    public var listsAuthenticationMethods = true
    /// Whether a token response must contain `token_type`; if false, a token without a type is used as a bearer token, although the
    /// provider may mean another type (RFC 6749 section 7.1).
    public var requiresTokenType = true
    /// Whether the token response of a login must contain `expires_in`.
    ///
    /// The response to a refresh may always lack `expires_in`, because an error would lose the new refresh token.
    public var requiresLifetime = false
    /// ASCII characters that separate scopes in addition to the space.
    public var additionalScopeSeparators: [UInt8] = []
    /// Whether the old refresh token stays valid if the response to a refresh contains no refresh token (RFC 6749 section 6).
    public var keepsRefreshToken = true

    // MARK: The ID token

    /// The issuers of a provider that has one issuer for each tenant: `iss` must belong to the token's `tid`; nil for other providers.
    public var issuerTemplate: TenantIssuerTemplate?
    /// The audiences of this client: `aud` must contain at least one of them; with nil, `aud` must contain the client id.
    public var audiences: [String]?
    /// Whether `aud` may also contain untrusted audiences; if so, a token for several clients is accepted.
    public var allowsUntrustedAudiences = false
    /// Whether `sub` may be a JSON integer.
    public var acceptsNumericSubject = false
    /// Whether `acr` of the ID token must be one of the requested `acr_values`; if false, `acr` is not checked.
    public var provesAuthenticationContext = true

    /// Creates settings without any difference.
    public init() {}

    // The minimum of `stateLength` is 8, because Bolt documents a `state` of 8 characters.
    func checkState(ofProvider name: String) throws(IdentityError) {
        let isLongEnough = stateByteCount >= 6
        guard isLongEnough, stateLength.map({ $0 >= 8 && $0 <= (stateByteCount * 8 + 5) / 6 }) ?? true else {
            throw IdentityError(
                configuration: isLongEnough
                    ? "The quirk stateLength of provider \"\(name)\" is less than 8, or too large for stateByteCount."
                    : "The quirk stateByteCount of provider \"\(name)\" is less than 6.",
                hint:
                    "If the provider does not require a certain length of the state, do not set stateByteCount and stateLength. Otherwise "
                    + "set stateByteCount to at least 6, and stateLength to at least 8 and at most 4/3 of stateByteCount, rounded up.",
                reference: "RFC 6749 section 10.10"
            )
        }
    }
}
