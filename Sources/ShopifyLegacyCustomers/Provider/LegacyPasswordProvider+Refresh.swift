public import IdentityKit
internal import ShopifyGraphQL
internal import ShopifyStorefront

extension LegacyPasswordProvider {
    /// Legacy: extends the session's token; Shopify extends only tokens that have not expired.
    ///
    /// If a call of `LegacyCustomerAccount.update` waits to change the password, this method sends the change first. If the response
    /// contains a token, this token is the result. If Shopify rejects the change, this method extends the session's token. All requests
    /// of a refresh together end within `ProviderDescriptor.timeout`, which is the timeout of the Storefront client, but at most 8 seconds.
    ///
    /// - Throws: `IdentityError`: with code `IdentityError.Code.invalidGrant` when Shopify no longer accepts the token. Only this code
    ///   ends the session. `RefreshRefusal` when the request to change the password fails.
    public func refresh(_ tokens: TokenSet) async throws -> TokenSet {
        try checkIssuer(of: tokens)
        let deadline = descriptor.timeout.map { environment.clock.elapsed + $0 }
        if let change = passwordChanges.take(for: tokens.accessToken),
            let new = try await send(change, of: tokens.buyer, until: deadline)
        {
            return new
        }
        let operation = LegacyCustomerTokenRenew(customerAccessToken: tokens.accessToken)
        let payload = try await client.execute(operation, until: deadline).data
        guard payload.userErrors.isEmpty, let token = payload.customerAccessToken else {
            // The userErrors of this mutation have no codes. So the token is checked by reading its customer: if Shopify no longer
            // accepts the token, this line throws.
            _ = try await buyer(tokens.accessToken, until: deadline)
            throw IdentityError(
                .retryLater,
                .unexpectedResponse,
                "Shopify did not extend the legacy customer's token, although the token is still valid.",
                hint: "Try again later. The session is kept until its token expires.",
                reference: "Storefront API reference, customerAccessTokenRenew"
            )
        }
        return self.tokens(token, of: tokens.buyer)
    }

    /// Sends a password change; returns nil if Shopify rejected the change and so returned no new token.
    private func send(
        _ change: PasswordChanges.Change,
        of buyer: Buyer,
        until deadline: Duration?
    ) async throws -> TokenSet? {
        do {
            let result = try await client.execute(change.operation, in: change.context, until: deadline)
            // If Shopify returned no new token and did not reject the change, it may have executed the change.
            guard result.data.customerAccessToken != nil || !result.data.customerUserErrors.isEmpty else {
                throw client.failure(of: result, LegacyCustomerUpdate.document)
            }
            let isTokenRefused = result.data.customerUserErrors.contains { $0.code == .tokenInvalid }
            change.set(isTokenRefused ? .notExecuted : .finished(.success(result)))
            return result.data.customerAccessToken.map { tokens($0, of: buyer) }
        } catch {
            change.set(.finished(.failure(error)))
            let refusal = RefreshRefusal(error)
            // If Shopify may have executed the change, for example after a 503 of a gateway, the refresh is in doubt. Any other failure
            // counts as transient: throttling of one buyer's IP, for example, must not pause the refreshes of other sessions.
            let isInDoubt = refusal.kind == .inDoubt || refusal.error.code == .outcomeUnknown
            throw RefreshRefusal(isInDoubt ? .inDoubt : .transient, refusal.error)
        }
    }
}
