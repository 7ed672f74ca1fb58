internal import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Puts the lines of a guest's cart into the session's, looks what is there then, and takes over what else can be.
    func pour(
        _ source: CartBinding,
        into id: SessionID,
        _ context: StorefrontContext,
        _ locks: CartLocks
    ) async throws -> CartMerge {
        var source = source
        let guestCart = try await current(&source, in: context).cart
        let lines = try await allLines(of: guestCart, in: context).map(CartLineInput.init)
        let guestCartID = source.cartID
        // What is in the cart now is written down first: a merge that is cut short is taken up, not begun again.
        try await changing(id, .claiming, under: locks) { binding, _ -> CartChange<Void> in
            guard var binding else { throw Self.noCart }
            if binding.mergeBase == nil || binding.mergeSource != guestCartID {
                binding.mergeSource = guestCartID
                let cart = try await self.current(&binding, in: context).cart
                binding.mergeBase = try await self.allLines(of: cart, in: context).map(CartLineInput.init)
            }
            return CartChange((), binding)
        }
        return try await changing(id, .claiming, under: locks) { binding, operation in
            guard var binding else { throw Self.noCart }
            var merge = CartMerge(outcome: .merged)
            let base = CartLineCounts(binding.mergeBase ?? [])
            var cart = try await self.current(&binding, in: context).cart
            let present = CartLineCounts(try await self.allLines(of: cart, in: context).map(CartLineInput.init))
            let missing = lines.compactMap { line -> CartLineInput? in
                var rest = line
                rest.quantity = .set(base[line] + line.itemCount - present[line])
                return rest.itemCount > 0 && !line.merchandiseID.isEmpty ? rest : nil
            }
            try await self.send(missing, to: &binding, of: operation, &merge, in: context)
            try await self.unite(guestCart, &binding, of: operation, &merge, in: context)
            cart = try await self.current(&binding, in: context).cart
            let now = CartLineCounts(try await self.allLines(of: cart, in: context).map(CartLineInput.init))
            let refused = CartLineCounts(merge.refusedLines.map(\.line))
            for line in lines where refused[line] == 0 && now[line] < base[line] + line.itemCount {
                // Fewer, as stock allows, is Shopify's answer; none of a line that is not sold out is a line that was lost.
                merge.shortLines.append(line)
                if now[line] == 0 { merge.outcome = .partial }
            }
            if !merge.refusedLines.isEmpty { merge.outcome = .partial }
            merge.lostGiftCards = guestCart.giftCards.map(\.lastCharacters)
            let claim = try await self.claim(for: id)
            var attachment = try await self.current(&binding, in: context)
            if case .none = claim.claim {
                attachment.problem = claim.problem
            } else {
                let proposal = BuyerProposal(claim.claim, in: context)
                attachment = try await self.attach(proposal, to: &binding, of: operation, in: context)
            }
            merge.cart = attachment.sessionCart(binding)
            return CartChange(merge, binding)
        }
    }

    /// Adds lines in parts; a line that Shopify refuses is noted, and the others are sent without it.
    private func send(
        _ lines: [CartLineInput],
        to binding: inout CartBinding,
        of operation: CartOperation,
        _ merge: inout CartMerge,
        in context: StorefrontContext
    ) async throws {
        for part in lines.parts(of: Self.linesPerCall) {
            var part = part
            while !part.isEmpty {
                do {
                    _ = try await add(part, to: &binding, of: operation, in: context)
                    break
                } catch let error as IdentityError where error.code == .cartUserErrors && error.kind == .rejected {
                    // An error that names no line counts for all.
                    let errors = (error.cause as? CartUserErrors)?.errors ?? []
                    let refused = error.refusedLines(of: part.count)
                    let isNamed = errors.contains { $0.line != nil }
                    for index in refused.sorted() {
                        merge.refusedLines.append((part[index], errors.filter { !isNamed || $0.line == index }))
                    }
                    part.removeAll(at: refused)
                }
            }
        }
    }

    /// Discount codes are united; note and attributes are taken over where the buyer's cart has none.
    private func unite(
        _ guest: Cart,
        _ binding: inout CartBinding,
        of operation: CartOperation,
        _ merge: inout CartMerge,
        in context: StorefrontContext
    ) async throws {
        let own = try await current(&binding, in: context).cart
        let codes = own.discountCodes.map(\.code)
        let new = guest.discountCodes.map(\.code).filter { code in !codes.contains { $0.utf8.elementsEqual(code.utf8) }
        }
        if !new.isEmpty {
            let update = CartDiscountCodesUpdate(cartID: binding.cartID, discountCodes: codes + new)
            _ = try await accept(try await send(update, in: context), &binding, of: operation, in: context)
        }
        if let note = guest.note, !note.isEmpty {
            if let mine = own.note, !mine.isEmpty {
                if !mine.utf8.elementsEqual(note.utf8) { merge.conflicts.append("note") }
            } else {
                let update = CartNoteUpdate(cartID: binding.cartID, note: note)
                _ = try await accept(try await send(update, in: context), &binding, of: operation, in: context)
            }
        }
        var attributes = own.attributes
        for attribute in guest.attributes {
            if let mine = own.attributes.first(where: { $0.key.utf8.elementsEqual(attribute.key.utf8) }) {
                let isSame = mine.value.utf8.elementsEqual(attribute.value.utf8)
                if !isSame { merge.conflicts.append("attribute.\(attribute.key)") }
            } else {
                attributes.append(attribute)
            }
        }
        if attributes.count > own.attributes.count {
            let update = CartAttributesUpdate(cartID: binding.cartID, attributes: attributes)
            _ = try await accept(try await send(update, in: context), &binding, of: operation, in: context)
        }
    }
}
