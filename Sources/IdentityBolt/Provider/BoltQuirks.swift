internal import IdentityKit
internal import IdentityOIDC

struct BoltQuirks: OpenIDQuirks {
    let settings: OpenIDQuirkSettings
    private let separator: BoltScopeSeparator

    init(_ configuration: BoltProvider.Configuration, publishableKey key: String) {
        separator = configuration.scopeSeparator
        var settings = Self.loginPage(stateLength: configuration.stateLength)
        settings.sendsNonce = configuration.sendsNonce
        settings.usesPKCE = configuration.authentication.usesPKCE
        // The issuer in Bolt's metadata may differ from the `iss` of its ID tokens. So `iss` may be any accepted issuer.
        settings.bindsDiscoveredIssuer = false
        // Bolt does not document whether `aud` is the whole publishable key or its last part, so both are accepted.
        settings.audiences = [key, BoltClientIDForm.lastSection(of: key)]
        settings.allowsUntrustedAudiences = true
        settings.secretFollowsClientID = true
        settings.requiresLifetime = true
        settings.additionalScopeSeparators = [UInt8(ascii: "+"), UInt8(ascii: ",")]
        // Bolt's refresh tokens work once. So the old refresh token is useless, even if the response contains no new refresh token.
        settings.keepsRefreshToken = false
        self.settings = settings
    }

    /// The settings for Bolt's login page, which is also the login page of ``SFCCProvider``.
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
