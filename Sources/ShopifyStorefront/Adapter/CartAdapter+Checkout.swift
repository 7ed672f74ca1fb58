internal import IdentityHTTP
public import IdentityKit

extension CartAdapter {
    /// Confirms the buyer's identity and returns the URL of the checkout.
    ///
    /// The token is refreshed first if it expires too soon. It is attached again in any case, and the URL comes from the response that
    /// confirmed the customer. If the identity is unavailable or rejected, the buyer still gets a checkout, as a guest, and
    /// ``CheckoutHandoff/problem`` says why. If the provider has ended the session, the buyer is removed from the cart first.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - context: The buyer's IP, country and language. With a private token and without the IP, Shopify opens the checkout
    ///     signed out.
    ///   - options: Single sign-on, and how long the token must be valid. `sso=silent` is added only if no buyer is on the cart.
    /// - Returns: The checkout URL and the identity that it has.
    /// - Throws: `IdentityError`; with code `IdentityError.Code.cartMissing` or `IdentityError.Code.cartGone` when there
    ///   is no cart.
    public func checkout(
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext(),
        options: CheckoutOptions = CheckoutOptions()
    ) async throws -> CheckoutHandoff {
        try await withLockedRow(id) { row in
            guard var binding = row.binding else { throw Self.noCart }
            let (claim, problem) = try await self.claim(for: id, validFor: options.tokenMargin)
            var attachment = try await self.confirm(claim, problem, &binding, row, context)
            if attachment.problem == nil { attachment.problem = problem }
            let handoff = try self.handoff(attachment, binding, options)
            return CartChange(handoff, binding)
        }
    }

    private func confirm(
        _ claim: CartClaim,
        _ problem: IdentityError?,
        _ binding: inout CartBinding,
        _ row: LockedCartRow,
        _ context: StorefrontContext
    ) async throws -> CartIdentityResult {
        let request = BuyerIdentityRequest(claim, in: context)
        if case .none = claim {
            // The identity stays on the cart during an outage, and is removed when the session has ended.
            let mustLeave = problem == nil || problem?.kind == .signInAgain
            if mustLeave, binding.mayHoldBuyer { return try await detach(&binding, in: context) }
            return try await current(&binding, readsCheckoutURL: true, in: context)
        }
        // The customer is attached again for every checkout. Only this shows that the token was revoked; otherwise the checkout would
        // open signed out.
        let isDue = try isDue(request, on: binding)
        guard request.token != nil || isDue else {
            return try await current(&binding, readsCheckoutURL: true, in: context)
        }
        return try await attach(request, to: &binding, of: row, in: context)
    }

    private func handoff(
        _ attachment: CartIdentityResult,
        _ binding: CartBinding,
        _ options: CheckoutOptions
    ) throws(IdentityError) -> CheckoutHandoff {
        let now = client.environment.clock.now
        guard var url = attachment.checkoutURL, isSafe(url) else { throw Self.noCheckoutURL }
        // Checkout takes the buyer from the cart or from the browser's session, and these may be two different people.
        let usesBrowserSession = options.singleSignOn == .silent && !binding.mayHoldBuyer && !binding.isUntrusted
        if usesBrowserSession {
            do { url = try url.adding("sso", "silent") } catch { throw Self.noCheckoutURL }
        }
        let identity: CheckoutIdentity =
            switch binding.state {
            case .attached(let end): attachment.isConfirmed || end.map { $0 > now } ?? true ? .customer : .guest
            case .contact: .contact
            case .guest, .degraded: .guest
            }
        return CheckoutHandoff(
            url: url,
            identity: identity,
            cart: attachment.cart,
            warnings: attachment.warnings,
            issuedAt: now,
            usesBrowserSession: usesBrowserSession,
            problem: attachment.problem
        )
    }

    private func isSafe(_ url: CheckoutURL) -> Bool {
        let url = url.reveal()
        return url.isSecure || client.configuration.allowsLoopbackHTTP && url.isLoopback
    }

    private static var noCheckoutURL: IdentityError {
        IdentityError(
            .rejected,
            .unexpectedResponse,
            "Shopify returned no checkout URL that is safe to open in a browser.",
            hint: "Read the cart and try again.",
            reference: "Storefront API reference, Cart.checkoutUrl"
        )
    }
}
