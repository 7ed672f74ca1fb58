public import IdentityKit
internal import ShopifyGraphQL

// `cartBuyerIdentityUpdate` puts the buyer on a cart (`CartAdapter+Attach.swift`), removes the buyer (`CartAdapter+Detach.swift`), and
// sets the country and the company location. `CartBuyerIdentity.input(over:)` builds the input with the access token.

extension CartAdapter {
    /// Sends `cartBuyerIdentityUpdate`; members of the input that are `.unset` do not change on the cart.
    func updateBuyerIdentity(
        _ input: CartBuyerIdentityInput,
        on binding: CartBinding,
        in context: StorefrontContext
    ) async throws -> CartMutationResponse {
        try await send(CartBuyerIdentityUpdate(cartID: binding.cartID, buyerIdentity: input), in: context)
    }

    /// The identity of a claim, with the country of the context, or else of the client, or else of the claim.
    func buyerIdentity(_ claim: CartClaim, in context: StorefrontContext) -> CartBuyerIdentity {
        CartBuyerIdentity(claim, in: client.context.overridden(by: context))
    }

    /// Whether the requested identity has to be sent to Shopify.
    ///
    /// True if it differs from the identity on the cart, or if the last attempt to put an identity there failed; false for an untrusted
    /// cart.
    func isDue(_ identity: CartBuyerIdentity, on binding: CartBinding) throws -> Bool {
        if binding.isUntrusted { return false }
        let isNewCountry = identity.country.map { $0 != binding.country && $0 != binding.refusedCountry } ?? false
        if binding.problem != nil || isNewCountry { return true }
        guard let fingerprint = try identity.fingerprint(for: binding.cartID) else { return binding.identity != .guest }
        return fingerprint != binding.fingerprint
    }

    /// Gives the cart the country of the context, or else of the client, if the cart has another country or none.
    ///
    /// The country decides the prices. A failure is reported in `omitted` of the result; only a missing cart and a cancellation are thrown.
    ///
    /// Shopify may show no country although one was set. Then the same country is not sent again. The other members of the buyer's identity
    /// are not sent, so they do not change.
    func setCountry(
        after earlier: CartIdentityResult,
        _ binding: inout CartBinding,
        in context: StorefrontContext
    ) async throws -> CartIdentityResult {
        let present = earlier.cart.buyerIdentity.countryCode
        guard let country = context.country ?? client.context.country, country != present,
            country != binding.country || present != nil
        else { return earlier }
        let input = CartBuyerIdentityInput(countryCode: .set(country))
        var result = earlier
        do {
            let response = try await updateBuyerIdentity(input, on: binding, in: context)
            if case .gone = response.outcome { throw CartGone(response.metadata) }
            guard response.payload.userErrors.isEmpty else {
                result.omitted.append("country")
                return result
            }
            let later = try await resolve(response, &binding, in: context)
            binding.country = country
            return later.after(earlier)
        } catch let error as IdentityError where error.kind != .cancelled {
            // The operation on the cart has succeeded, so a failure to set the country is only reported in `omitted`. If Shopify no
            // longer has the cart, or the task is cancelled, the error is thrown.
            result.omitted.append("country")
            return result
        }
    }

    /// Sets the company location that the signed-in buyer buys for; nil removes it.
    ///
    /// Other data of the buyer do not change.
    ///
    /// - Throws: `IdentityError` with code `IdentityError.Code.cartUserErrors` when the buyer may not buy for this location, or when no
    ///   buyer is on the cart. The cart is not changed then.
    @discardableResult
    public func setCompanyLocation(
        _ locationID: String?,
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await withCart(id) { binding, locked in
            let input = CartBuyerIdentityInput(companyLocationID: .setOrNull(locationID))
            let response = try await self.updateBuyerIdentity(input, on: binding, in: context)
            // If the response has a new cart, the buyer is put on it with the location that the binding names.
            binding.companyLocationID = locationID
            return try await self.accept(response, &binding, of: locked, in: context).sessionCart(binding)
        }
    }
}
