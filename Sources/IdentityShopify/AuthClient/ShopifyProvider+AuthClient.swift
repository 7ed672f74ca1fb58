internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

/// What ``AuthClient`` needs beyond the protocol: its callers hold single pieces where the protocol has whole values.
extension ShopifyProvider {
    func authorizationRequest(
        _ options: LoginOptions,
        pkce: PKCE
    ) async throws -> AuthorizationRequest {
        try await client.authorizationRequest(try await checked(options), pkce: pkce)
    }

    /// What a callback must look like, as far as it can be told without asking anybody.
    func expectations(_ attempt: LoginAttempt) -> AuthorizationResponse.Expectations {
        AuthorizationResponse.Expectations(
            state: attempt.state,
            issuer: attempt.issuer,
            issuers: client.dialect.issuers,
            requiresIssuer: false,
            codeParameters: client.dialect.codeParameters,
            refusalsAsCode: client.dialect.refusalsAsCode
        )
    }

    /// Exchanges a code that the app itself took from the callback.
    func redeem(_ code: Secret, for attempt: LoginAttempt) async throws -> TokenSet {
        // A refused silent login may look like a code; it must not reach the token endpoint.
        if client.dialect.refusalsAsCode.contains(where: { code.isEqual(to: Secret($0)) }) {
            throw IdentityError(
                .signInAgain,
                .loginRequired,
                "A silent login is not possible.",
                hint: "Start a login that shows the page."
            )
        }
        return try await client.redeem(code, for: attempt)
    }

    /// Spends a refresh token of which nothing else is known.
    func refresh(bare refreshToken: Secret) async throws -> TokenSet {
        let tokens = TokenSet(
            buyer: Buyer(issuer: "", subject: ""),
            accessToken: Secret(""),
            refreshToken: refreshToken,
            scopes: client.scopes,
            issuedAt: client.httpClient.environment.clock.now
        )
        return try await client.refresh(tokens, isBuyerKnown: false)
    }

    /// Calls the logout endpoint as a mobile client does: 200, or a redirect for browsers, which is not followed.
    func visit(_ url: HTTPURL) async throws {
        let response = try await client.httpClient.send(
            .get,
            url,
            headers: try ProviderHTTPClient.headers(accepting: "*/*", ShopifyDialect.headers(configuration)),
            asking: "Shopify's logout endpoint"
        )
        guard (200..<400).contains(response.status) else {
            let isOutage = response.status == 429 || response.status >= 500
            throw IdentityError(
                isOutage ? .retryLater : .rejected,
                isOutage ? .providerUnavailable : .unexpectedResponse,
                "Shopify's logout endpoint did not end the session (HTTP \(response.status)).",
                hint:
                    "Here the buyer is signed out. Send the browser to the logout URL to end the session at Shopify too.",
                providerAnswer: IdentityError.ProviderAnswer(status: response.status)
            )
        }
    }
}
