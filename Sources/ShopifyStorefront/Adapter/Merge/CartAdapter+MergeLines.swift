internal import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Adds the lines of a guest's cart to the session's cart, and checks which lines were added.
    ///
    /// The added lines are recorded in `source`, the stored cart of the guest. The first merge into a session or cart also merges discount
    /// codes, note and attributes. A later merge into the same session or cart does not add the recorded lines again.
    /// `isRepeated` is true for the second pass of a merge, which adds the lines that the guest's cart gained during the first pass.
    func mergeLines(
        _ source: inout CartBinding,
        of guest: LockedCart,
        into id: SessionID,
        _ context: StorefrontContext,
        isRepeated: Bool = false
    ) async throws -> CartMergeResult {
        let guestCart = try await current(&source, needsContents: true, in: context).cart
        let allLines = try await allLines(of: guestCart, in: context).map(CartLineInput.init)
        let (guestCartID, unmerged) = (source.cartID, source)
        typealias Merged = (result: CartMergeResult, added: CartBinding.Merge?)
        let merged = try await withCart(id, .exclusive, under: guest.locks) { binding, locked -> Merged? in
            // The guest no longer has the cart, for example because another process has completed this merge. So nothing is left to merge.
            guard var left = try await self.attachments.read(guest.session).binding else {
                return (CartMergeResult(outcome: .nothingToMerge), nil)
            }
            guard left.isReserved(for: id) else {
                return (CartMergeResult(outcome: .nothingToMerge, guest: guest.session), nil)
            }
            let context = binding.keepingCountry(in: context)
            var result = try await self.current(&binding, needsContents: true, in: context)
            let presentLines = try await self.allLines(of: result.cart, in: context).map(CartLineInput.init)
            // Stores the buyer's lines before the merge. If the merge is interrupted, the next merge compares the buyer's cart with these
            // lines, and finds the added lines. Interrupted merges of two guests need two records, so the guest's cart has the record.
            if left.mergeBase?.isInto(binding.cartID, of: id) != true {
                left.mergeBase = .init(session: id, cartID: binding.cartID, lines: presentLines)
            }
            // Renews the reservation: for `lateCallLimit` from now, no other session can reserve the guest's cart and merge its lines.
            left.reservation = (id, self.client.environment.clock.now)
            do { try await guest.save(left) } catch is CartConflict { return nil }
            let (base, present) = (CartLineCounts(left.mergeBase?.lines ?? []), CartLineCounts(presentLines))
            let earlier = unmerged.merge(into: binding.cartID, of: id)?.lines
            let lines = CartLineCounts(earlier ?? []).subtracted(from: allLines)
            var merge = CartMergeResult(outcome: .merged)
            // Items that the buyer's cart has gained since `mergeBase` was saved count as merged.
            let missing = present.gained(since: base).subtracted(from: lines.filter { !$0.merchandiseID.isEmpty })
            try await self.send(missing, to: &binding, of: locked, &merge, in: context)
            if earlier == nil || isRepeated {
                try await self.mergeDetails(guestCart, &binding, of: locked, &merge, in: context)
            }
            result = try await self.current(&binding, needsContents: true, in: context)
            let now = CartLineCounts(try await self.allLines(of: result.cart, in: context).map(CartLineInput.init))
            let (wanted, refused) = (CartLineCounts(lines), CartLineCounts(merge.refusedLines.map(\.line)))
            for line in lines where refused[line] == 0 && now[line] - min(base[line], present[line]) < wanted[line] {
                // Shopify reduces a quantity when the stock is too small. If the buyer's cart then has no item of the line, the merge is
                // partial.
                merge.shortLines.append(line)
                if now[line] == 0 { merge.outcome = .partial }
            }
            if !merge.refusedLines.isEmpty { merge.outcome = .partial }
            let claim = try await self.claim(for: id)
            if case .none = claim.claim {
                result.problem = claim.problem
                // If the claim is unavailable, an identity that is already on the cart stays there. So the problem is stored only for a
                // cart without an identity.
                if let problem = claim.problem, binding.identity == .guest { binding.problem = problem.code }
            } else {
                let identity = self.buyerIdentity(claim.claim, in: context)
                result = try await self.attach(identity, to: &binding, of: locked, in: context)
            }
            merge.cart = result.sessionCart(binding)
            merge.lostGiftCards = result.cart.lostGiftCards(of: guestCart.giftCardEndings)
            let added = refused.subtracted(from: lines).filter { now[$0] > 0 }
            return (merge, CartBinding.Merge(session: id, cartID: binding.cartID, lines: (earlier ?? []) + added))
        }
        // Another process has changed the guest's attachment, so `CartOperation.run` repeats the whole merge.
        guard let (result, added) = merged else { throw CartConflict() }
        // If the lines of the guest's cart have changed during the merge, `mergeLines` runs once more. An error of the two reads in this
        // condition is ignored, because the merge above has succeeded.
        if !isRepeated, result.outcome == .merged,
            let cart = try? await current(&source, needsContents: true, in: context).cart,
            source.cartID == guestCartID, let later = try? await self.allLines(of: cart, in: context),
            CartLineCounts(later.map(CartLineInput.init)) != CartLineCounts(allLines)
        {
            // `record` also removes `mergeBase`, so the second pass compares with the lines that the buyer's cart then has. With the old
            // `mergeBase`, a line that the buyer adds on another device between the passes would count as a merged line of the guest.
            if let added, var left = try await attachments.read(guest.session).binding {
                left.record(added)
                try await guest.save(left)
                source.record(added)
            }
            var repeated = try await mergeLines(&source, of: guest, into: id, context, isRepeated: true)
            repeated.shortLines = result.shortLines + repeated.shortLines
            return repeated
        }
        if let added { source.record(added) }
        return result
    }

    /// Adds lines in requests of at most 250 lines.
    ///
    /// Lines that Shopify rejects are recorded in `merge.refusedLines`, and the other lines of the request are sent again.
    private func send(
        _ lines: [CartLineInput],
        to binding: inout CartBinding,
        of locked: LockedCart,
        _ merge: inout CartMergeResult,
        in context: StorefrontContext
    ) async throws {
        for part in lines.parts(of: Self.linesPerCall) {
            var part = part
            while !part.isEmpty {
                do {
                    _ = try await add(part, to: &binding, of: locked, in: context)
                    break
                } catch let error as IdentityError where error.code == .cartUserErrors && error.kind == .rejected {
                    // If the errors name no line, all lines of this request count as rejected.
                    let errors = (error.cause as? CartUserErrors)?.errors ?? []
                    let refused = error.rejectedLines(of: part.count)
                    let isNamed = errors.contains { $0.line != nil }
                    for index in refused.sorted() {
                        merge.refusedLines.append((part[index], errors.filter { !isNamed || $0.line == index }))
                    }
                    part.removeSubranges(RangeSet(refused, within: part))
                }
            }
        }
    }

    /// Adds the guest's discount codes, and the note and the attributes that the buyer's cart does not have.
    ///
    /// If both carts have a note, or an attribute with the same key, the buyer's value is kept. `conflicts` names each such value that
    /// differs.
    private func mergeDetails(
        _ guest: Cart,
        _ binding: inout CartBinding,
        of locked: LockedCart,
        _ merge: inout CartMergeResult,
        in context: StorefrontContext
    ) async throws {
        let own = try await current(&binding, needsContents: true, in: context).cart
        let codes = own.discountCodes.map(\.code)
        let merged = codes.mergingCodes(guest.discountCodes.map(\.code))
        if merged.count > codes.count {
            let update = CartDiscountCodesUpdate(cartID: binding.cartID, discountCodes: merged)
            _ = try await perform(update, &binding, of: locked, in: context)
        }
        if let note = guest.note, !note.isEmpty {
            if let mine = own.note, !mine.isEmpty {
                if !mine.isIdentical(to: note) { merge.conflicts.append("note") }
            } else {
                let update = CartNoteUpdate(cartID: binding.cartID, note: note)
                _ = try await perform(update, &binding, of: locked, in: context)
            }
        }
        var attributes = own.attributes
        for attribute in guest.attributes {
            if let mine = own.attributes.first(where: { $0.key.isIdentical(to: attribute.key) }) {
                guard !mine.value.isIdentical(to: attribute.value) else { continue }
                merge.conflicts.append("attribute.\(attribute.key)")
            } else {
                attributes.append(attribute)
            }
        }
        if attributes.count > own.attributes.count {
            let update = CartAttributesUpdate(cartID: binding.cartID, attributes: attributes)
            _ = try await perform(update, &binding, of: locked, in: context)
        }
    }
}

extension Cart {
    var giftCardEndings: [String] { giftCards.map(\.lastCharacters) }

    /// Returns the `endings` (of another cart's gift cards) that no gift card of this cart has.
    func lostGiftCards(of endings: [String]) -> [String] {
        let present = Set(giftCardEndings)
        return endings.filter { !present.contains($0) }
    }
}

extension IdentityError {
    /// The indices of the lines that Shopify's user errors name; the indices of all lines if the errors name no line.
    ///
    /// A field is for example `["lines", "3", "merchandiseId"]` or `["input", "lines", "3", "quantity"]`.
    func rejectedLines(of count: Int) -> Set<Int> {
        let errors = (cause as? CartUserErrors)?.errors ?? []
        let named = Set(errors.compactMap(\.line)).filter { (0..<count).contains($0) }
        return named.isEmpty ? Set(0..<count) : named
    }
}

extension CartUserError {
    /// The index of the line that the error is about; nil if the error names no line.
    var line: Int? {
        field.firstIndex(of: "lines").flatMap { field.dropFirst($0 + 1).first }.flatMap { Int($0) }
    }
}
