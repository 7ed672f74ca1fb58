package import IdentityCrypto
package import IdentityKit

/// Where a provider differs from the book: what `OpenIDClient` asks the provider's own module about.
package struct OpenIDDialect: Sendable {
    // The authorization request and its answer

    /// Whether a `nonce` is sent.
    package var sendsNonce = true
    /// Whether a PKCE challenge is sent.
    package var usesPKCE = true
    /// The length of `state` in random bytes.
    package var stateByteCount = 32
    /// The length of `state` in characters, for providers that insist on one; nil keeps all that the bytes give.
    package var stateLength: Int?
    /// Whether a login is bound to the one issuer that discovery names, instead of all that ``issuers`` accepts.
    package var bindsDiscoveredIssuer = true
    /// The parameter that carries the language of the login page.
    package var localeParameter = "ui_locales"
    /// What every login asks for where its options say nothing.
    package var loginDefaults = LoginDefaults()
    /// The names under which the code may come back.
    package var codeParameters = ["code"]
    /// Values of the code that mean an error.
    package var refusalsAsCode: [String] = []

    /// Whether the authorization request is pushed also where the provider does not ask for it (RFC 9126).
    package var pushesAuthorizationRequest = false
    /// How the provider is asked to send its answer.
    package var responseMode = ResponseMode.query

    // The token endpoint

    /// Whether tokens are bound to a key of their session's own (RFC 9449).
    package var usesDPoP = false

    /// Headers of every token request.
    package var tokenRequestHeaders: [(name: String, value: Secret)] = []
    /// Fields that a code exchange sends beside the standard ones.
    package var exchangeFields: @Sendable (LoginAttempt) -> [(name: String, value: String)] = { _ in [] }
    /// Fields that a refresh sends beside the standard ones.
    package var refreshFields: @Sendable (TokenSet) -> [(name: String, value: String)] = { _ in [] }
    /// Whether the metadata list the methods of every type of client, so that a hint may compare them with the configured one.
    package var listsAuthenticationMethods = true
    /// Whether `client_secret` stands right behind `client_id`, instead of at the end.
    package var secretFollowsClientID = false
    /// What a refreshed token may do when the answer does not say; by default what the old one could.
    package var scopesOfSilentRefresh: @Sendable (TokenSet) -> [String] = { $0.scopes }
    /// What successful answers look like.
    package var tokenRules = TokenResponse.Rules()
    /// What a failure means; the book's meaning by default.
    package var classify: @Sendable (TokenFailure) -> IdentityError = { $0.standardError }
    /// Whether an old refresh token stays good when the answer to a refresh brings none (RFC 6749 section 6).
    package var keepsRefreshToken = true

    // The ID token

    /// Which issuers are accepted.
    package var issuers: IssuerPolicy
    /// The names by which `aud` may call the client.
    package var audiences: [String]
    /// Whether audiences that are not ours may stand beside ours.
    package var allowsForeignAudiences = false
    /// The algorithms to accept; nil takes those that the provider's metadata list, of the asymmetric ones known here.
    package var algorithms: [SignatureAlgorithm]? = [.rs256]
    /// Whether `sub` may be a JSON integer.
    package var acceptsNumericSubject = false
    /// Whether ID tokens say by `acr` which of the `acr_values` was met; where they never do, asking is a wish only.
    package var provesAuthenticationContext = true
    /// How claims become a buyer.
    package var buyer: @Sendable (IDTokenClaims) -> Buyer = { $0.standardBuyer }

    package init(issuers: IssuerPolicy, audiences: [String]) {
        self.issuers = issuers
        self.audiences = audiences
    }
}
