internal import IdentityKit
internal import IdentityOIDC

/// Where Bolt differs from the book.
enum BoltDialect {
    static func make(_ configuration: BoltProvider.Configuration, _ setup: ResolvedBoltConfiguration) -> OpenIDDialect {
        let key = setup.publishableKey
        // For a client that is registered with the whole key nothing says which form `aud` has.
        var dialect = OpenIDDialect(
            issuers: .exactly(setup.issuers),
            audiences: [key, BoltClientIDForm.lastSection(of: key)]
        )
        dialect.allowsForeignAudiences = true
        dialect.sendsNonce = configuration.sendsNonce
        dialect.usesPKCE = configuration.authentication.usesPKCE
        dialect.stateByteCount = 64
        dialect.stateLength = configuration.stateLength ?? 43
        // Production's metadata name one issuer and its ID tokens another: the set decides.
        dialect.bindsDiscoveredIssuer = false
        dialect.loginDefaults = configuration.loginDefaults
        dialect.codeParameters = ["code", "authorization_code"]
        dialect.secretFollowsClientID = true
        dialect.tokenRequestHeaders = headers(setup)
        let separator = configuration.scopeSeparator
        dialect.exchangeFields = { attempt in
            [("scope", separator.join(attempt.scopes))]
                + (attempt.state.isEmpty ? [] : [("state", attempt.state.reveal())])
        }
        dialect.refreshFields = { [("scope", separator.join(refreshScopes($0)))] }
        dialect.scopesOfSilentRefresh = refreshScopes
        dialect.tokenRules.acceptsLifetimeAsText = true
        dialect.tokenRules.requiresLifetime = true
        dialect.tokenRules.additionalScopeSeparators = [UInt8(ascii: "+"), UInt8(ascii: ",")]
        // Each refresh spends its token; keeping the old one would only trip Bolt's reuse detection.
        dialect.keepsRefreshToken = false
        dialect.classify = BoltTokenError.error
        dialect.buyer = buyer
        return dialect
    }

    /// The keys as headers; a public client has none to send.
    static func headers(_ setup: ResolvedBoltConfiguration) -> [(name: String, value: Secret)] {
        setup.apiKey.map { [("X-API-Key", $0), ("X-Publishable-Key", Secret(setup.publishableKey))] } ?? []
    }

    private static func refreshScopes(_ tokens: TokenSet) -> [String] {
        tokens.refreshTokenScopes.isEmpty ? [BoltScope.view] : tokens.refreshTokenScopes
    }

    private static func buyer(_ claims: IDTokenClaims) -> Buyer {
        var buyer = claims.standardBuyer
        buyer.givenName = claims.text("first_name")
        buyer.familyName = claims.text("last_name")
        return buyer
    }
}
