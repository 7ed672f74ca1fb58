internal import IdentityHTTP
public import IdentityKit

extension CartAdapter {
    /// Confirms the buyer's identity and returns the URL of the checkout.
    ///
    /// If the access token expires before ``CheckoutOptions/tokenMargin`` has passed, it is refreshed first. Then the adapter puts the
    /// identity on the cart. It does not do so for an untrusted cart (``adopt(_:for:isTrusted:in:)``) or for a cart that already has the
    /// same contact data. If the identity is unavailable or rejected, the buyer still gets a checkout, possibly as a guest, and
    /// ``CheckoutHandoff/problem`` says why. The adapter first removes the buyer from the cart in three cases: the session has no identity
    /// for carts, the buyer must sign in again, or an error suggests an attack.
    ///
    /// Another app may have put a customer on the cart. If the app's token may not read customers, the adapter does not find this customer
    /// in two cases: the session has no identity, or the cart already has the session's contact data.
    ///
    /// With a private token, Shopify opens the checkout signed out if neither `context` nor the client's context has the buyer's IP.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.cartMissing` when the session has no cart, and with code
    ///   `IdentityError.Code.cartGone` when Shopify no longer has the cart and it was not created again.
    public func checkout(
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext(),
        options: CheckoutOptions = CheckoutOptions()
    ) async throws -> CheckoutHandoff {
        try await withCart(id) { binding, locked in
            let (claim, problem) = try await self.claim(for: id, validFor: options.tokenMargin)
            var result = try await self.confirm(claim, problem, &binding, locked, context)
            if result.problem == nil { result.problem = problem }
            return try self.handoff(result, binding, options)
        }
    }

    private func confirm(
        _ claim: CartClaim,
        _ problem: IdentityError?,
        _ binding: inout CartBinding,
        _ locked: LockedCart,
        _ context: StorefrontContext
    ) async throws -> CartIdentityResult {
        let identity = buyerIdentity(claim, in: binding.keepingCountry(in: client.context.overridden(by: context)))
        if case .none = claim {
            // During an outage, the identity stays on the cart. After a suspected attack, it may be another buyer's, so it is removed.
            let mustLeave = problem.map { $0.kind == .signInAgain || $0.isAttackSuspected } ?? true
            let result =
                mustLeave
                ? try await detachIfNeeded(&binding, forCheckout: true, in: context)
                : try await current(&binding, readsCheckoutURL: true, in: context)
            if problem == nil, !binding.mayHoldBuyer { binding.problem = nil }
            return try await setCountry(after: result, &binding, in: context)
        }
        // A customer is put on a trusted cart again before every checkout, because only Shopify's response shows whether the token was
        // revoked. With a revoked token the checkout would open signed out.
        let isDue = try isDue(identity, on: binding)
        if identity.token == nil, !isDue, !binding.isUntrusted {
            let result = try await current(&binding, readsCheckoutURL: true, in: context)
            // A logout of another session with this cart may have removed the contact data. Another session or another app may have put a
            // customer on the cart. In both cases, `attach` corrects the cart.
            let buyer = result.cart.buyerIdentity
            let hasAddressOnly = !binding.hasEmail && !binding.hasPhone && !binding.addressIDs.isEmpty
            let isRemoved =
                binding.hasEmail && buyer.email == nil || binding.hasPhone && buyer.phone == nil
                || hasAddressOnly && result.cart.deliveryAddressIDs.isEmpty
            if !isRemoved, buyer.customerID == nil, result.customer != .hidden { return result }
        }
        return try await attach(identity, to: &binding, of: locked, in: context)
    }

    private func handoff(
        _ result: CartIdentityResult,
        _ binding: CartBinding,
        _ options: CheckoutOptions
    ) throws(IdentityError) -> CheckoutHandoff {
        let now = client.environment.clock.now
        guard var url = result.checkoutURL,
            url.reveal().isSecure(orLoopback: client.configuration.allowsLoopbackHTTP)
        else { throw Self.noCheckoutURL }
        // The buyer of the browser's session at the shop may be another person than the buyer on the cart.
        let usesBrowserSession = options.singleSignOn == .silent && !binding.mayHoldBuyer && !binding.isUntrusted
        if usesBrowserSession {
            do { url = try url.adding("sso", "silent") } catch { throw Self.noCheckoutURL }
        }
        let identity: CartIdentity =
            switch binding.state {
            case .customer(let end): result.isConfirmed || end.map { $0 > now } ?? true ? .customer : .guest
            case .contact: .contact
            case .guest, .degraded: .guest
            }
        return CheckoutHandoff(
            url: url,
            identity: identity,
            cart: result.cart,
            warnings: result.warnings,
            omitted: result.omitted,
            issuedAt: now,
            usesBrowserSession: usesBrowserSession,
            problem: result.problem
        )
    }

    private static var noCheckoutURL: IdentityError {
        IdentityError(
            .rejected,
            .unexpectedResponse,
            "The checkout URL in Shopify's response is missing, or is not a valid https URL.",
            hint:
                "Call checkout(for:in:options:) again. If the error persists, check the shop's primary domain in the Shopify admin. For "
                + "a fake shop on this machine, set allowsLoopbackHTTP of StorefrontConfiguration.",
            reference: "Storefront API reference, Cart.checkoutUrl"
        )
    }
}
