extension IdentityError.Code {
    // The callback

    /// The callback's `state` is missing, empty or belongs to another login (RFC 6749 section 4.1.2).
    public static let stateInvalid = Self(rawValue: "state_invalid")
    /// The `state` of a callback names no pending login or logout: it was never issued, has expired, or was used before.
    ///
    /// Errors also have this code if the two requests of a `form_post` callback arrive in the wrong order. The browser must first post the
    /// provider's response, and then send a GET request with only the `state`.
    public static let stateUnknown = Self(rawValue: "state_unknown")
    /// The callback came from another browser than the one in which the login or logout began, or without the binding cookie.
    public static let browserMismatch = Self(rawValue: "browser_mismatch")
    /// A login attempt, a device code, the `state` of a logout, or the time that a presenter waits for the browser has expired.
    public static let attemptExpired = Self(rawValue: "attempt_expired")
    /// The callback is malformed, too large, has no code, repeats a parameter, arrived at another address than the redirect URI, or has
    /// its code in the URL although the login requested `form_post`.
    public static let callbackInvalid = Self(rawValue: "callback_invalid")
    /// The provider rejected the authorization; see ``IdentityError/providerResponse``.
    public static let authorizationRefused = Self(rawValue: "authorization_refused")
    /// The buyer or the provider denied access (`access_denied`).
    public static let accessDenied = Self(rawValue: "access_denied")
    /// A silent login is not possible: the buyer has to see the login page (OpenID Connect Core section 3.1.2.6).
    public static let loginRequired = Self(rawValue: "login_required")
    /// The callback of a login or logout may come from another provider: its `iss` (RFC 9207 section 2.4) or its address does not match.
    public static let responseIssuerMismatch = Self(rawValue: "response_issuer_mismatch")

    /// The app refused the sign-in of a verified buyer.
    public static let signInRefused = Self(rawValue: "sign_in_refused")
    /// A return path is malformed, or leads to a page that the ``ReturnPathPolicy`` does not allow (RFC 9700 section 4.11.1).
    public static let returnPathRefused = Self(rawValue: "return_path_refused")

    // The token endpoint

    /// The provider rejected the code, the refresh token or the PKCE verifier (`invalid_grant`, RFC 6749 section 5.2).
    public static let invalidGrant = Self(rawValue: "invalid_grant")
    /// Client authentication failed (`invalid_client`).
    public static let invalidClient = Self(rawValue: "invalid_client")
    /// The provider does not allow this client to use the grant (`unauthorized_client`).
    public static let unauthorizedClient = Self(rawValue: "unauthorized_client")
    /// The provider does not support the grant (`unsupported_grant_type`).
    public static let unsupportedGrantType = Self(rawValue: "unsupported_grant_type")
    /// The provider found the request malformed (`invalid_request`).
    public static let invalidRequest = Self(rawValue: "invalid_request")
    /// The provider rejected a scope (`invalid_scope`).
    public static let invalidScope = Self(rawValue: "invalid_scope")
    /// The `Origin` header was missing or is not registered at the provider.
    public static let originRefused = Self(rawValue: "origin_refused")
    /// A server returned a redirect, which the SDK does not follow for this request.
    public static let redirectRefused = Self(rawValue: "redirect_refused")
    /// The token response is not usable: for example, a field is missing or has a wrong type or value.
    public static let tokenResponseInvalid = Self(rawValue: "token_response_invalid")
    /// A request that changes something, for example a GraphQL mutation, got no usable response.
    ///
    /// The server may have executed the request, so check its effect before you repeat it.
    public static let outcomeUnknown = Self(rawValue: "outcome_unknown")
    /// The server rejected the DPoP proof (`invalid_dpop_proof`, `use_dpop_nonce`, RFC 9449).
    public static let dpopProofRefused = Self(rawValue: "dpop_proof_refused")
    /// The provider issued a token that is not bound to the DPoP key, although a DPoP proof was sent.
    public static let tokenUnbound = Self(rawValue: "token_unbound")
    /// A server's response is not usable: for example, it is too large, or the protocol does not allow it.
    public static let unexpectedResponse = Self(rawValue: "unexpected_response")

    // Signed tokens: the ID token, the logout token, a signed UserInfo response, and the token of an SFCC storefront

    /// A signed token is not a well-formed JWS.
    public static let idTokenMalformed = Self(rawValue: "id_token_malformed")
    /// The token response has no ID token, or the login did not request the scope `openid`: the buyer is unknown.
    public static let idTokenMissing = Self(rawValue: "id_token_missing")
    /// The signature algorithm of a signed token is not allowed.
    public static let idTokenAlgorithm = Self(rawValue: "id_token_algorithm")
    /// The provider publishes no usable key for a signed token.
    public static let idTokenKeyUnknown = Self(rawValue: "id_token_key_unknown")
    /// The signature of a signed token is wrong.
    public static let idTokenSignature = Self(rawValue: "id_token_signature")
    /// The `iss` of a signed token is not an accepted issuer.
    public static let idTokenIssuer = Self(rawValue: "id_token_issuer")
    /// The `aud` or `azp` of a signed token does not fit this client.
    public static let idTokenAudience = Self(rawValue: "id_token_audience")
    /// The `sub` of a token or UserInfo response is missing, empty or belongs to another buyer, or a token set's buyer has no issuer.
    public static let idTokenSubject = Self(rawValue: "id_token_subject")
    /// A signed token has expired, is not valid yet, or has a missing or wrong time.
    public static let idTokenTime = Self(rawValue: "id_token_time")
    /// The ID token's `nonce` is missing, differs from the sent nonce, or is present although no nonce was sent.
    public static let idTokenNonce = Self(rawValue: "id_token_nonce")
    /// The ID token's `at_hash` does not fit the access token.
    public static let idTokenAccessTokenHash = Self(rawValue: "id_token_access_token_hash")
    /// The ID token's `acr` or `auth_time` does not satisfy the request, or the `auth_time` differs from that of the session's login.
    public static let idTokenAuthentication = Self(rawValue: "id_token_authentication")

    // Logout

    /// The request is not a back-channel logout request, or its token does not have the claims of a logout token.
    public static let logoutTokenInvalid = Self(rawValue: "logout_token_invalid")
    /// The logout token was used before.
    public static let logoutTokenReplayed = Self(rawValue: "logout_token_replayed")

    // Metadata

    /// The provider's metadata or keys could not be fetched, are not usable, or name a host that is not accepted.
    public static let discoveryFailed = Self(rawValue: "discovery_failed")
    /// The provider's metadata names an issuer that is not configured.
    public static let discoveryIssuerMismatch = Self(rawValue: "discovery_issuer_mismatch")
    /// The provider does not support a feature that the call needs.
    public static let unsupportedByProvider = Self(rawValue: "unsupported_by_provider")

    // Sessions

    /// The session does not exist: it was never stored, was removed, has expired, or belongs to another tenant.
    public static let sessionUnknown = Self(rawValue: "session_unknown")
    /// The session is a guest session without a signed-in buyer (``SessionManager/beginGuest(retainedFor:)``).
    public static let notSignedIn = Self(rawValue: "not_signed_in")
    /// The session has ended, because the provider no longer accepts the refresh token; the buyer has to sign in again.
    public static let sessionEnded = Self(rawValue: "session_ended")
    /// The provider does not accept the refresh token, and a newer refresh token was probably lost; see ``SessionEndReason/lostRotation``.
    public static let rotationLost = Self(rawValue: "rotation_lost")
    /// The session cannot be refreshed, because it has no refresh token.
    public static let notRefreshable = Self(rawValue: "not_refreshable")
    /// The session's tokens come from another issuer than the provider's issuer, for example because the configuration names another shop.
    ///
    /// The SDK did not send the tokens to the provider.
    public static let issuerChanged = Self(rawValue: "issuer_changed")
    /// The session's scopes do not allow the request.
    public static let insufficientScope = Self(rawValue: "insufficient_scope")
    /// A resource server requires a stronger or more recent login (RFC 9470); see ``IdentityError/stepUpRequirement``.
    public static let insufficientUserAuthentication = Self(rawValue: "insufficient_user_authentication")
    /// The provider or a resource server rejected the access token.
    public static let accessTokenRefused = Self(rawValue: "access_token_refused")
    /// A session's new tokens are in memory only: a warning that comes with valid tokens (``SessionTokens/warning``).
    public static let tokensNotDurable = Self(rawValue: "tokens_not_durable")
    /// The operation could not be completed now, because of a lock or of other refreshes.
    ///
    /// For example, another task or process holds the lock of the session or of a cart, the lock was lost, a refresh takes too long, too
    /// many refreshes wait, or a refresh would have to wait although the process is about to end.
    public static let refreshBusy = Self(rawValue: "refresh_busy")

    // Infrastructure

    /// The provider or another server could not be reached, is down, or limits the rate of requests.
    ///
    /// Errors also have this code if the HTTP transport of this process fails or is closed.
    public static let providerUnavailable = Self(rawValue: "provider_unavailable")
    /// The caller's task was cancelled, or the buyer closed the login page.
    public static let cancelled = Self(rawValue: "cancelled")
    /// The configuration, or an option that the app passes, is unknown, missing or invalid.
    public static let configurationInvalid = Self(rawValue: "configuration_invalid")
    /// No configured provider has the requested name, or the provider with this name belongs to another tenant.
    public static let providerUnknown = Self(rawValue: "provider_unknown")
    /// The store could not begin an operation in time, for example because another process has locked it or all connections are in use.
    public static let storeBusy = Self(rawValue: "store_busy")
    /// The store's database server cannot be reached or does not respond in time.
    public static let storeUnavailable = Self(rawValue: "store_unavailable")
    /// This process has no key for the store, or for one of its records.
    public static let storeKeyMismatch = Self(rawValue: "store_key_mismatch")
    /// The source of the store's keys did not return the keys.
    public static let storeKeyUnavailable = Self(rawValue: "store_key_unavailable")
    /// The store or one of its records cannot be read, or a session's record lacks a valid DPoP key.
    public static let storeCorrupt = Self(rawValue: "store_corrupt")
    /// A newer version wrote the store's file or tables.
    public static let storeTooNew = Self(rawValue: "store_too_new")
    /// The store's file, its directory or its database server is read-only for this process.
    public static let storeReadOnly = Self(rawValue: "store_read_only")
    /// The disk is full, or the store has reached its limit of sessions or used tokens.
    public static let storeFull = Self(rawValue: "store_full")
    /// The store failed for a reason that none of the other `store_` codes describes.
    public static let storeFailed = Self(rawValue: "store_failed")
    /// An operation failed unexpectedly: for example, OpenSSL failed, or the operation threw an error that is not an ``IdentityError``.
    public static let systemFailure = Self(rawValue: "system_failure")
}
