internal import IdentityKit
internal import ShopifyGraphQL

/// The identity for a cart while the adapter tries which parts of this identity Shopify accepts.
struct IdentityNegotiation {
    enum Outcome {
        /// The last response: Shopify accepted the identity, no longer has the cart, or returned an empty response.
        ///
        /// With `endsWithCart`, it may also be a response that has a cart and rejects parts of the identity.
        case answered(CartMutationResponse)
        /// Shopify rejected the identity, or the token exchange failed before a request.
        case rejected(IdentityError, CartMutationResponse?)
    }

    /// The identity with all parts.
    fileprivate(set) var whole: CartBuyerIdentity
    /// The identity to send: without the parts that Shopify rejected, and with the exchanged token after a token exchange.
    var identity: CartBuyerIdentity
    /// The session's tokens after the refresh that followed a rejected access token; nil before that refresh.
    fileprivate var refreshed: ResourceAccess?

    init(_ whole: CartBuyerIdentity, companyLocationID: String?) {
        self.whole = whole
        self.whole.companyLocationID = companyLocationID
        identity = self.whole
    }
}

extension CartAdapter {
    /// Sends an identity, and sends it again with fewer parts until Shopify accepts it or no part can be omitted.
    ///
    /// Parts that Shopify rejects, such as the phone number, are removed from `negotiation`. A rejected access token is refreshed once.
    /// With `endsWithCart`, each response with a cart ends the negotiation, even if it rejects parts of the identity.
    ///
    /// A rejected identity and a failed token exchange are outcomes. Other errors are thrown.
    func negotiate(
        _ negotiation: inout IdentityNegotiation,
        for id: SessionID,
        endsWithCart: Bool = false,
        _ send: (CartBuyerIdentity) async throws -> CartMutationResponse
    ) async throws -> IdentityNegotiation.Outcome {
        var isExchanged = false
        while true {
            let response: CartMutationResponse
            do {
                // The token of a legacy customer is a Storefront token already.
                if !isExchanged, let exchange = policy.exchange, let token = negotiation.identity.token, !token.isLegacy
                {
                    negotiation.identity.token = try await exchange.storefrontToken(for: token)
                }
                isExchanged = true
                response = try await send(negotiation.identity)
            } catch let error as IdentityError where !isExchanged && error.kind != .cancelled {
                guard error.code == .accessTokenRefused else { return .rejected(error, nil) }
                if try await refresh(&negotiation, for: id, after: error) { continue }
                return .rejected(error.recast(as: .rejected, code: .identityRejected), nil)
            } catch let error as IdentityError where error.code == .graphQLErrors {
                // The errors name no part of the identity. They occur for example with an unknown country code.
                guard let less = negotiation.identity.omittingFirst(of: "address", "country", "phone", "email") else {
                    throw error
                }
                negotiation.identity = less
                continue
            }
            if endsWithCart, response.payload.cart != nil { return .answered(response) }
            switch response.outcome {
            case .done, .empty, .gone: return .answered(response)
            case .failed(let error): throw error
            case .tokenRefused(let errors):
                let rejection = Self.identityRejected(errors, response.metadata)
                if try await refresh(&negotiation, for: id, after: rejection) {
                    isExchanged = false
                    continue
                }
                return .rejected(rejection, response)
            case .refused(let errors):
                guard let less = negotiation.identity.reduced(by: errors) else {
                    return .rejected(IdentityError.refusal(of: errors, response.metadata), response)
                }
                negotiation.identity = less
            }
        }
    }

    /// Starts the negotiation again with refreshed tokens after Shopify rejected the access token.
    ///
    /// The result is false if this negotiation has already refreshed the tokens, or has no token, or if the refresh failed. A cancellation
    /// and the error of an ended session are thrown.
    private func refresh(
        _ negotiation: inout IdentityNegotiation,
        for id: SessionID,
        after rejection: IdentityError
    ) async throws -> Bool {
        if let refreshed = negotiation.refreshed {
            // If a refresh has just returned the rejected tokens, another refresh would not help. After this call, rejections of these
            // tokens start no refresh for 5 minutes.
            if refreshed.isJustRefreshed { sessions.noteRejection(of: refreshed.tokens, of: id) }
            return false
        }
        let whole = negotiation.whole
        guard negotiation.identity.token != nil, let refused = whole.token else { return false }
        do {
            let (next, access) = try await sessions.withAccessToken(of: id) { access in
                let identity = CartBuyerIdentity(try await access.cartClaim(), country: whole.country)
                // Shopify has just rejected this token. The error makes `withAccessToken` refresh the tokens once, if it can, and call
                // this closure again.
                if let token = identity.token, token.token.isEqual(to: refused.token) {
                    throw rejection.recast(as: .retryLater, code: .accessTokenRefused)
                }
                return (identity, access)
            }
            negotiation = IdentityNegotiation(next, companyLocationID: whole.companyLocationID)
            negotiation.refreshed = access
            return true
        } catch {
            let error = IdentityError.wrapping(error)
            guard error.kind != .cancelled, error.code != .sessionUnknown else { throw error }
            return false
        }
    }
}
