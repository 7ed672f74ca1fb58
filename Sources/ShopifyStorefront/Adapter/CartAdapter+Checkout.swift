internal import IdentityHTTP
public import IdentityKit

extension CartAdapter {
    /// Makes sure of the buyer's identity and returns where to pay.
    ///
    /// The token is renewed first when it would not last, attached again in any case, and the URL comes from the very answer
    /// that confirmed the customer. Where the identity cannot be had or put on the cart the buyer still
    /// gets a checkout, as a guest, and ``CheckoutHandoff/problem`` tells why. When the provider has ended the session, the
    /// buyer is taken off the cart first.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - context: The buyer's IP, country and language; with a private token and without the IP Shopify opens the checkout
    ///     signed out.
    ///   - options: Single sign-on and margin.
    /// - Throws: `IdentityError`; with code `IdentityError.Code.cartMissing` or `IdentityError.Code.cartGone` when there
    ///   is nothing to pay for.
    public func checkout(
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext(),
        options: CheckoutOptions = CheckoutOptions()
    ) async throws -> CheckoutHandoff {
        try await changing(id) { binding, operation in
            guard var binding else { throw Self.noCart }
            let (claim, problem) = try await self.claim(for: id, validFor: options.tokenMargin)
            var attachment = try await self.confirm(claim, problem, &binding, operation, context)
            if attachment.problem == nil { attachment.problem = problem }
            let handoff = try self.handoff(attachment, binding, options)
            return CartChange(handoff, binding)
        }
    }

    private func confirm(
        _ claim: CartClaim,
        _ problem: IdentityError?,
        _ binding: inout CartBinding,
        _ operation: CartOperation,
        _ context: StorefrontContext
    ) async throws -> Attachment {
        let proposal = BuyerProposal(claim, in: context)
        if case .none = claim {
            // An outage says nothing against what is on the cart; a session that is over does.
            let mustLeave = problem == nil || problem?.kind == .signInAgain
            if mustLeave, binding.mayHoldBuyer { return try await withdraw(&binding, in: context) }
            return try await current(&binding, readsCheckoutURL: true, in: context)
        }
        // A customer is attached for every checkout: a token that was revoked since looks well on the cart and opens the checkout
        // signed out, and only an attach says so.
        let isDue = try isDue(proposal, on: binding)
        guard proposal.token != nil || isDue else {
            return try await current(&binding, readsCheckoutURL: true, in: context)
        }
        return try await attach(proposal, to: &binding, of: operation, in: context)
    }

    private func handoff(
        _ attachment: Attachment,
        _ binding: CartBinding,
        _ options: CheckoutOptions
    ) throws(IdentityError) -> CheckoutHandoff {
        let now = client.environment.clock.now
        guard var url = attachment.checkoutURL, isSafe(url) else { throw Self.noCheckoutURL }
        if options.singleSignOn == .silent {
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
            "Shopify answered without a checkout URL that a browser may be sent to.",
            hint: "Read the cart and try again."
        )
    }
}
