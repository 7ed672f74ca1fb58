public import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// How many lines one call takes.
    static let linesPerCall = 250

    /// Changes lines of the session's cart.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.cartUserErrors` when a line is not there or Shopify refuses.
    public func update(
        _ lines: [CartLineUpdate],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await operate(on: id, in: context) { [selection] binding in
            CartLinesUpdate(cartID: binding.cartID, lines: lines, selection: selection)
        }
    }

    /// Takes lines out of the session's cart; lines that are gone already count as taken out.
    ///
    /// - Throws: `IdentityError`.
    public func remove(
        lineIDs: [String],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await changing(id) { binding in
            guard var binding else { throw Self.noCart }
            let remove = CartLinesRemove(cartID: binding.cartID, lineIDs: lineIDs, selection: self.selection)
            let reply = try await self.send(remove, in: context)
            if case .refused(let errors) = reply.verdict {
                let isGone = errors.allSatisfy { $0.field.first == "lineIds" }
                let current = try await self.current(&binding, in: context)
                let still = Set(current.cart.lines.map(\.id)).intersection(lineIDs)
                guard isGone, still.count < lineIDs.count else { throw IdentityError.refusal(of: errors) }
                guard !still.isEmpty else { return CartChange(current.sessionCart(binding), binding) }
                // One that is gone fails the whole call: the others go by themselves.
                let rest = CartLinesRemove(
                    cartID: binding.cartID,
                    lineIDs: lineIDs.filter(still.contains),
                    selection: self.selection
                )
                let attachment = try await self.accept(
                    try await self.send(rest, in: context),
                    &binding,
                    of: id,
                    in: context
                )
                return CartChange(attachment.sessionCart(binding), binding)
            }
            let attachment = try await self.accept(reply, &binding, of: id, in: context)
            return CartChange(attachment.sessionCart(binding), binding)
        }
    }

    /// All lines of the session's cart, however many pages they fill; empty when there is no cart.
    ///
    /// - Throws: `IdentityError`.
    public func lines(for id: SessionID, in context: StorefrontContext = StorefrontContext()) async throws -> [CartLine]
    {
        try await changing(id) { binding -> CartChange<[CartLine]> in
            guard var binding else { return CartChange([], nil) }
            let cart = try await self.current(&binding, in: context).cart
            return CartChange(try await self.allLines(of: cart, in: context), binding)
        }
    }

    func allLines(of cart: Cart, in context: StorefrontContext) async throws -> [CartLine] {
        var lines = cart.lines
        var cursor = cart.hasMoreLines ? cart.linesCursor : nil
        while let next = cursor {
            let query = CartLinesQuery(cartID: cart.id, count: selection.lines, cursor: next)
            let page = try await client.execute(query, in: context).data
            guard let more = page.lines else { throw CartVanished() }
            lines += more
            // A page that leads to itself would lead there for ever.
            cursor = page.cursor == next || more.isEmpty ? nil : page.cursor
        }
        return lines
    }

    /// Begins a cart with any number of lines.
    func beginAll(
        _ lines: [CartLineInput],
        _ id: SessionID,
        _ context: StorefrontContext
    ) async throws -> CartChange<SessionCart> {
        let first = try await begin(Array(lines.prefix(Self.linesPerCall)), id, context)
        guard lines.count > Self.linesPerCall, var binding = first.binding else { return first }
        do {
            let rest = Array(lines.dropFirst(Self.linesPerCall))
            let attachment = try await add(rest, to: &binding, of: id, in: context)
            return CartChange(attachment.sessionCart(binding), binding, onConflict: .discardAndAgain)
        } catch let error as IdentityError where error.kind != .cancelled {
            // The cart is there, with the first lines and the identity: it must not be lost with the others.
            return CartChange(
                SessionCart(
                    cart: first.result.cart,
                    identity: first.result.identity,
                    warnings: first.result.warnings,
                    omitted: first.result.omitted + ["lines"],
                    problem: error
                ),
                binding,
                onConflict: .discardAndAgain
            )
        }
    }

    /// Adds lines, in parts, none of them twice.
    func add(
        _ lines: [CartLineInput],
        to binding: inout CartBinding,
        of id: SessionID,
        in context: StorefrontContext
    ) async throws -> Attachment {
        var result: Attachment?
        for part in lines.isEmpty ? [[]] : lines.parts(of: Self.linesPerCall) {
            let before = known.lines(of: binding.cartID)
            let add = CartLinesAdd(cartID: binding.cartID, lines: part, selection: selection)
            let reply: CartReply
            do {
                reply = try await send(add, in: context)
            } catch let error as IdentityError where error.code == .outcomeUnknown {
                result = try await look(for: part, over: before, &binding, after: error, in: context)
                continue
            }
            var next = try await accept(reply, &binding, of: id, in: context)
            next.warnings = (result?.warnings ?? []) + next.warnings
            result = next
        }
        guard let result else { throw Self.noCart }
        return result
    }

    /// What became of lines whose addition was not answered.
    private func look(
        for lines: [CartLineInput],
        over before: CartLineCounts?,
        _ binding: inout CartBinding,
        after error: IdentityError,
        in context: StorefrontContext
    ) async throws -> Attachment {
        guard let before else { throw error }
        do {
            let attachment = try await current(&binding, in: context)
            let now = CartLineCounts(try await allLines(of: attachment.cart, in: context).map(CartLineInput.init))
            guard now.hold(lines, over: before) else { throw error }
            return attachment
        } catch let failure as IdentityError {
            guard failure.kind != .cancelled else { throw failure }
            throw error
        }
    }
}
