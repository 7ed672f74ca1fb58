internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

extension ShopifyProvider {
    /// The attempt of a login whose authorization URL the app has built itself, with this code verifier.
    ///
    /// The SDK does not know the `state` and the `nonce` of this URL and does not check them. The app must compare `state` itself.
    func attempt(codeVerifier: Secret) async throws -> LoginAttempt {
        let options = try await checked(LoginOptions())
        let issuer = try await client.metadata().issuer
        let now = environment.clock.now
        return LoginAttempt(
            provider: descriptor.name,
            state: Secret(""),
            codeVerifier: codeVerifier,
            issuer: client.boundIssuer(issuer),
            redirectURI: options.redirectURI ?? descriptor.redirectURI,
            scopes: configuration.scopes,
            createdAt: now,
            expiresAt: now
        )
    }

    /// Refreshes with a refresh token alone; an ID token in the response must belong to the same login as `idToken`.
    func refresh(bare refreshToken: Secret, idToken: Secret?) async throws -> TokenSet {
        let tokens = try client.storedTokens(refreshToken, idToken: idToken)
        try await prepareRefresh(of: tokens)
        // Fetches the keys before the refresh. An `AuthClient` does not store the response, so it would lose the new refresh token if the
        // keys could not be fetched after the refresh.
        _ = try await client.keyCount()
        do {
            let response = try await requestRefresh(of: tokens, under: .notNeeded)
            return try await client.tokens(from: response, refreshing: tokens, isBuyerKnown: false)
        } catch let refusal as RefreshRefusal {
            throw refusal.error
        }
    }

    /// Calls Shopify's logout endpoint without a browser, as a mobile client does.
    ///
    /// A temporary redirect (302, 303, 307) counts as success and is not followed, because it leads a browser to the app's page after the
    /// logout. A permanent redirect (301, 308) is an error: usually the shop id in the URL is wrong.
    func endSession(at url: HTTPURL) async throws {
        let response = try await httpClient.send(
            .get,
            url,
            headers: try ProviderHTTPClient.headers(accepting: "*/*", configuration.client.headers),
            asking: "Shopify's logout endpoint"
        )
        guard ![301, 308].contains(response.status) else {
            throw IdentityError(
                .configuration,
                .redirectRefused,
                "Shopify's logout endpoint returned a permanent redirect, so the session at Shopify was not ended.",
                hint:
                    "Check shopID and endpoints.logout: usually the shop id in the endpoint's URL is wrong. If the endpoint was "
                    + "discovered, check shopDomain or endpoints.discovery. The client no longer has the tokens in memory.",
                reference: "Customer Account API reference, logging out",
                providerResponse: IdentityError.ProviderResponse(status: response.status)
            )
        }
        guard (200..<300).contains(response.status) || [302, 303, 307].contains(response.status) else {
            let isOutage = response.isOutage
            throw IdentityError(
                isOutage ? .retryLater : .rejected,
                isOutage ? .providerUnavailable : .unexpectedResponse,
                "Shopify's logout endpoint did not confirm the end of the session (HTTP \(response.status)).",
                hint: isOutage
                    ? "Call logout(idToken:) again with the same ID token. The client no longer has the tokens in memory."
                    : "Check that the ID token belongs to a login of this client. If it does, check shopID and endpoints.logout. The buyer "
                        + "may still be signed in at Shopify.",
                reference: "Customer Account API reference, logging out",
                retryAfter: isOutage ? response.headers.retryAfter : nil,
                providerResponse: IdentityError.ProviderResponse(status: response.status)
            )
        }
    }
}
