public import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    func buyerIdentity(_ claim: CartClaim, in context: StorefrontContext) -> CartBuyerIdentity {
        CartBuyerIdentity(claim, country: context.country ?? client.context.country)
    }

    /// Whether the identity differs from the one on a trusted cart, or the last attempt to put an identity on this cart failed.
    func isDue(_ identity: CartBuyerIdentity, on binding: CartBinding) throws -> Bool {
        if binding.isUntrusted { return false }
        let isNewCountry = identity.country.map { $0 != binding.country && $0 != binding.refusedCountry } ?? false
        if binding.problem != nil || isNewCountry { return true }
        guard let fingerprint = try identity.fingerprint(for: binding.cartID) else { return binding.identity != .guest }
        return fingerprint != binding.fingerprint
    }

    /// Sets the cart's country to `context.country`, or else to `client.context.country`, if the cart has another country.
    ///
    /// The country decides the prices. If Shopify refuses the country or the request fails, the result lists `country` in `omitted`; only a
    /// cancellation and ``CartGone`` are thrown.
    ///
    /// Shopify may show no country although the cart has one. In this case, the country that Shopify last accepted is not sent again.
    func setCountry(
        after earlier: CartIdentityResult,
        _ binding: inout CartBinding,
        in context: StorefrontContext
    ) async throws -> CartIdentityResult {
        let present = earlier.cart.buyerIdentity.countryCode
        guard let country = context.country ?? client.context.country, country != present,
            country != binding.country || present != nil
        else { return earlier }
        var result = earlier
        guard country != binding.countryRefusedAlone else {
            result.omitted.append("country")
            return result
        }
        let input = CartBuyerIdentityInput(countryCode: .set(country))
        do {
            let update = CartBuyerIdentityUpdate(cartID: binding.cartID, buyerIdentity: input)
            let response = try await send(update, in: context)
            if case .gone = response.outcome { throw CartGone(response.metadata) }
            let errors = response.payload.userErrors
            guard errors.isEmpty else {
                if errors.contains(where: { $0.field.last == "countryCode" }) { binding.countryRefusedAlone = country }
                result.omitted.append("country")
                return result
            }
            let later = try await resolve(response, &binding, in: context)
            binding.country = country
            return later.after(earlier)
        } catch let error as IdentityError where error.kind != .cancelled {
            // The operation before this request has succeeded, so the caller must not get an error.
            result.omitted.append("country")
            return result
        }
    }

    /// Sets the company location that the signed-in buyer buys for, and no other data of the buyer; nil removes the location.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.cartUserErrors` when the buyer may not buy for this location, or when no
    ///   buyer is on the cart. In both cases the cart is not changed.
    @discardableResult
    public func setCompanyLocation(
        _ locationID: String?,
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await withCart(id) { binding, locked in
            let input = CartBuyerIdentityInput(companyLocationID: .setOrNull(locationID))
            let update = CartBuyerIdentityUpdate(cartID: binding.cartID, buyerIdentity: input)
            // If Shopify returns the cart under a new id, `perform` puts the buyer on it, with the location that the binding names.
            binding.companyLocationID = locationID
            return try await self.perform(update, &binding, of: locked, in: context).sessionCart(binding)
        }
    }
}
