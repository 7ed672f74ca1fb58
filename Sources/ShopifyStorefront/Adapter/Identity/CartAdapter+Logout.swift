public import IdentityKit
internal import ShopifyGraphQL

/// The result of a logout, for session and cart.
public struct CartLogout: Sendable {
    /// The result of the session's logout.
    public let logout: LogoutResult
    /// The guest's session that has the cart or its copy now.
    ///
    /// It is nil with ``CartPolicy/Logout/drop``, if there was nothing to keep, or if the cart could not be kept.
    public let guest: SessionID?
    /// Why no guest got the cart, or why lines are missing in the guest's cart; nil if there was no problem.
    ///
    /// If the buyer could not be removed from the old cart, the error is here or in `problems` of ``logout``.
    public let problem: IdentityError?
}

/// The arguments of a logout; a call with equal arguments gets the result of a running logout of its session.
struct LogoutCall: Hashable {
    let mode: CartPolicy.Logout
    let options: LogoutOptions
}

extension CartAdapter {
    /// Signs the buyer out and gives the contents of the cart to the next person at this browser, as a guest's cart.
    ///
    /// ``CartPolicy/Logout`` describes what the guest gets in each mode. The session ends even if the cart could not be kept.
    ///
    /// A call during a logout of the same session, with equal mode and options, gets the result of that logout. A logout that has begun is
    /// completed also if its caller is cancelled, and `SessionManager.drain()` waits for it.
    ///
    /// `SessionManager.logout`, which the web routes call, gives the cart to no guest. With ``CartPolicy/Logout/drop`` it leaves the buyer
    /// on the cart; with the other policies it removes the buyer.
    ///
    /// With a nil `mode`, ``CartPolicy/logout`` decides. `options` say what the provider is asked to do.
    ///
    /// - Important: The next person at the browser gets the note, and the attributes of the cart and of its lines. Use
    ///   ``CartPolicy/Logout/drop`` if your shop writes personal data into note or attributes.
    ///
    /// - Throws: `IdentityError` in the same cases as `SessionManager.logout`. If the session still exists, it keeps its cart or gets it
    ///   back, except with ``CartPolicy/Logout/drop``, or if the store fails again, or if Shopify fails.
    public func logout(
        _ id: SessionID,
        mode: CartPolicy.Logout? = nil,
        options: LogoutOptions = LogoutOptions(),
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> CartLogout {
        let mode = mode ?? policy.logout
        if let path = options.returnPath, sessions.acceptedReturnPath(path) == nil {
            // The manager refuses this logout, so the session must keep its cart.
            return CartLogout(logout: try await sessions.logout(id, options: options), guest: nil, problem: nil)
        }
        return try await runningLogouts.run(id, LogoutCall(mode: mode, options: options)) { [self] in
            try await end(id, mode, options, context)
        }
    }

    private func end(
        _ id: SessionID,
        _ mode: CartPolicy.Logout,
        _ options: LogoutOptions,
        _ context: StorefrontContext
    ) async throws -> CartLogout {
        try await identityErrors {
            var guest: SessionID?
            var problem: IdentityError?
            do {
                // Throws for an expired session, so that no guest gets its cart. The manager's logout below removes expired sessions too.
                _ = try await self.sessions.session(id)
                switch mode {
                case .clone: (guest, problem) = try await self.copy(self.attachments.read(id).binding, context)
                case .detach: (guest, problem) = try await self.handOver(id, context)
                case .drop: try await self.forget(for: id, under: nil)
                }
                // With the policy `drop`, `sessionEnded` leaves the buyer on the cart. If this call has another mode and the session still
                // has the cart, the buyer is removed here.
                if self.policy.logout == .drop { try await self.detachIfAny(id, context) }
            } catch {
                // The buyer must be signed out even if the cart cannot be kept, so the error is only reported.
                problem = (error as? CartGone).map { .cartIsGone($0.metadata) } ?? .wrapping(error)
            }
            do {
                let result = try await self.sessions.logout(id, options: options)
                return CartLogout(logout: result, guest: guest, problem: problem)
            } catch {
                if let guest { try? await self.takeBack(from: guest, for: id, context) }
                throw error
            }
        }
    }

    /// Gives the cart back to a session whose logout failed, because the caller gets an error and not the id of the guest's session.
    ///
    /// If the session still has its cart, the guest has a copy, which no one needs.
    private func takeBack(from guest: SessionID, for id: SessionID, _ context: StorefrontContext) async throws {
        guard try await attachments.read(id).binding == nil else {
            try await sessions.endGuest(guest)
            return
        }
        _ = try await mergeGuestCart(of: guest, into: id, merge: .keepGuest, in: context)
    }

    /// Signs the old buyer out and gives the contents of the cart to a new buyer, who has just signed in on the same browser.
    ///
    /// The new buyer's cart has no identity, address or gift card of the old buyer. As with ``logout(_:mode:options:in:)``, the new buyer
    /// gets note and attributes, and ``CartPolicy/logout`` decides if `mode` is nil.
    ///
    /// - Returns: The new buyer's cart and the result of the logout. The cart is nil if the logout kept no cart.
    /// - Throws: `IdentityError`. If the store did not fail, the old session has ended even if an error is thrown.
    public func switchBuyer(
        from old: SessionID,
        to new: SessionID,
        mode: CartPolicy.Logout? = nil,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> (cart: SessionCart?, logout: CartLogout) {
        let logout = try await logout(old, mode: mode, in: context)
        guard let guest = logout.guest else { return (nil, logout) }
        return (try await mergeGuestCart(of: guest, into: new, merge: .keepGuest, in: context).cart, logout)
    }

    /// Copies lines, note, attributes and discount codes of a cart to a new guest's cart.
    ///
    /// `problem` says why lines are missing in the copy. `guest` is nil if there was nothing to copy, or if Shopify rejected every line.
    private func copy(
        _ binding: CartBinding?,
        _ context: StorefrontContext
    ) async throws -> (guest: SessionID?, problem: IdentityError?) {
        guard var binding else { return (nil, nil) }
        // The copy gets the country of the call, or else of the client, or else of the old cart, because the country decides the prices.
        let call = client.context.overridden(by: binding.lastContext.overridden(by: context))
        let context = binding.keepingCountry(in: call)
        let cart = try await current(&binding, needsContents: true, in: context).cart
        var lines = try await allLines(of: cart, in: context).map(CartLineInput.init).filter {
            !$0.merchandiseID.isEmpty
        }
        let codes = cart.discountCodes.map(\.code)
        guard !lines.isEmpty || cart.note?.isEmpty == false || !cart.attributes.isEmpty || !codes.isEmpty else {
            return (nil, nil)
        }
        let guest = try await sessions.beginGuest().id
        do {
            var problem: IdentityError?
            do {
                problem = try await omittingRefused(&lines) { lines in
                    try await withLockedCart(guest, .creating) { locked in
                        try await self.createCart(withAll: lines, locked, context)
                    }
                }
                .refusal
            } catch let error as IdentityError where error.code == .linesPartlyAdded {
                problem = error
            }
            // If Shopify rejected every line, the new guest would have a cart without lines. The guest's session ends instead.
            if let problem, lines.isEmpty {
                try await sessions.endGuest(guest)
                return (nil, problem)
            }
            if let note = cart.note, !note.isEmpty { _ = try await setNote(note, for: guest, in: context) }
            if !cart.attributes.isEmpty { _ = try await setAttributes(cart.attributes, for: guest, in: context) }
            if !codes.isEmpty { _ = try await changeDiscountCodes(adding: codes, for: guest, in: context) }
            return (guest, problem)
        } catch {
            try await sessions.endGuest(guest)
            throw error
        }
    }

    private func detachIfAny(_ id: SessionID, _ context: StorefrontContext) async throws {
        try await withLockedCart(id) { locked -> CartChange<Void> in
            guard var binding = locked.binding else { return CartChange((), saving: nil) }
            _ = try await self.detach(&binding, in: binding.lastContext.overridden(by: context))
            return CartChange((), saving: binding)
        }
    }

    /// Gives the session's cart to a new guest, or a copy of the cart in the cases of ``CartPolicy/Logout/detach``.
    private func handOver(
        _ id: SessionID,
        _ context: StorefrontContext
    ) async throws -> (guest: SessionID?, problem: IdentityError?) {
        let handed = try await withLockedCart(id) { locked -> CartChange<HandOver> in
            guard var binding = locked.binding else { return CartChange(.handedOver(to: nil), saving: nil) }
            // If another session of the buyer has the same cart, that session would put the buyer on the cart again. If a guest's session
            // has the same cart after an interrupted merge, that session would change the cart.
            if try await self.isShared(binding, id) { return CartChange(.copyNeeded(binding), saving: nil) }
            let context = binding.lastContext.overridden(by: context)
            var result: CartIdentityResult
            do {
                result = try await self.detach(&binding, in: context)
            } catch let error as IdentityError where error.code == .detachIncomplete {
                // At the end of the session, `sessionEnded` tries again to remove the buyer from this cart.
                return CartChange(.copyNeeded(binding), saving: nil)
            }
            // A request without a response, of this or another process, may put data of the buyer on the cart after the guest has it. And
            // if the app's token may not read customers, the response does not show whether the customer was removed.
            guard binding.unanswered == nil, result.customer == .shown else {
                return CartChange(.copyNeeded(binding), saving: binding)
            }
            try await self.removeGiftCards(&result, &binding, in: context)
            let guest = try await self.sessions.beginGuest().id
            // The buyer's session loses the cart before the guest's session gets it. After this write, `recordIntent` fails in every
            // process, so no process puts the buyer on the cart again.
            do {
                guard try await locked.write(nil) else { throw CartConflict() }
            } catch {
                _ = try? await self.sessions.endGuest(guest)
                throw error
            }
            // Another session of the buyer may have taken over the cart before the write above, so `isShared` is called again. A `takeOver`
            // that begins after the write returns false. If another session has the cart, or if `isShared` or the save fails, a new guest
            // gets a copy.
            guard (try? await self.isShared(binding, id)) == false,
                (try? await self.save(binding, of: guest, under: locked.locks)) == true
            else {
                try await self.sessions.endGuest(guest)
                return CartChange(.copyNeeded(binding), saving: nil)
            }
            return CartChange(.handedOver(to: guest), saving: nil)
        }
        switch handed {
        case .handedOver(let guest): return (guest, nil)
        case .copyNeeded(let binding): return try await copy(binding, context)
        }
    }

    private func save(
        _ binding: CartBinding,
        of guest: SessionID,
        under locks: InProcessCartLocks
    ) async throws -> Bool {
        try await withLockedCart(guest, .attachmentOnly, under: locks) { locked in
            CartChange(try await locked.write(binding.payload), saving: nil)
        }
    }

    /// Whether another session has the same cart: a session of the same buyer, or a guest's session after an interrupted merge.
    private func isShared(_ binding: CartBinding, _ id: SessionID) async throws -> Bool {
        if let guest = binding.guest, try await attachments.read(guest).binding?.cartID == binding.cartID {
            return true
        }
        return try await others(id).contains { $0.binding.cartID == binding.cartID }
    }
}

private enum HandOver {
    /// The session no longer has the cart. The guest's session is nil when there was no cart.
    case handedOver(to: SessionID?)
    case copyNeeded(CartBinding)
}
