internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

/// The differences between Bolt and OpenID Connect.
struct BoltQuirks: OpenIDQuirks {
    let settings: OpenIDQuirkSettings
    private let separator: BoltScopeSeparator

    init(_ configuration: BoltProvider.Configuration, publishableKey key: String) {
        separator = configuration.scopeSeparator
        var settings = Self.loginPage(stateLength: configuration.stateLength)
        settings.sendsNonce = configuration.sendsNonce
        settings.usesPKCE = configuration.authentication.usesPKCE
        // Production's metadata and ID tokens name different issuers, so all configured issuers are accepted.
        settings.bindsDiscoveredIssuer = false
        // Bolt does not document which form `aud` has for a client that is registered with the whole key.
        settings.audiences = [key, BoltClientIDForm.lastSection(of: key)]
        settings.allowsUntrustedAudiences = true
        settings.secretFollowsClientID = true
        settings.requiresLifetime = true
        settings.additionalScopeSeparators = [UInt8(ascii: "+"), UInt8(ascii: ",")]
        // Bolt's refresh tokens work once. So the old one is not kept if a response contains no new one.
        settings.keepsRefreshToken = false
        self.settings = settings
    }

    /// The differences of Bolt's login page, which SFCC uses too.
    static func loginPage(stateLength: Int?) -> OpenIDQuirkSettings {
        var settings = OpenIDQuirkSettings()
        settings.stateByteCount = 64
        settings.stateLength = stateLength ?? 43
        settings.codeParameters = ["code", "authorization_code"]
        return settings
    }

    func codeExchangeFields(for attempt: LoginAttempt) -> [(name: String, value: String)] {
        [("scope", separator.join(attempt.scopes))]
            + (attempt.state.isEmpty ? [] : [("state", attempt.state.reveal())])
    }

    func refreshFields(for tokens: TokenSet) -> [(name: String, value: String)] {
        [("scope", separator.join(scopes(afterRefreshing: tokens)))]
    }

    func scopes(afterRefreshing tokens: TokenSet) -> [String] {
        tokens.refreshTokenScopes.isEmpty ? [BoltScope.view] : tokens.refreshTokenScopes
    }

    func error(for failure: TokenErrorResponse) -> IdentityError {
        var failure = failure
        failure.traceIDHeader = "X-Bolt-Trace-Id"
        return BoltTokenError.error(for: failure)
    }

    func buyer(from claims: IDTokenClaims) -> Buyer {
        var buyer = claims.standardBuyer
        buyer.givenName = claims.text("first_name")
        buyer.familyName = claims.text("last_name")
        return buyer
    }
}
