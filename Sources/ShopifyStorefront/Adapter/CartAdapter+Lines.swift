public import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// How many lines one call takes.
    static let linesPerCall = 250

    /// Changes lines of the session's cart.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.cartUserErrors` when a line is not there or Shopify refuses.
    public func update(
        _ lines: [CartLineUpdateInput],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await operate(on: id, in: context) { binding in
            CartLinesUpdate(cartID: binding.cartID, lines: lines)
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
        try await changing(id) { binding, operation in
            guard var binding else { throw Self.noCart }
            let remove = CartLinesRemove(cartID: binding.cartID, lineIDs: lineIDs)
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
                    lineIDs: lineIDs.filter(still.contains)
                )
                let attachment = try await self.accept(
                    try await self.send(rest, in: context),
                    &binding,
                    of: operation,
                    in: context
                )
                return CartChange(attachment.sessionCart(binding), binding)
            }
            let attachment = try await self.accept(reply, &binding, of: operation, in: context)
            return CartChange(attachment.sessionCart(binding), binding)
        }
    }

    /// All lines of the session's cart, however many pages they fill; empty when there is no cart.
    ///
    /// - Throws: `IdentityError`.
    public func lines(for id: SessionID, in context: StorefrontContext = StorefrontContext()) async throws -> [CartLine]
    {
        try await changing(id) { binding, _ -> CartChange<[CartLine]> in
            guard var binding else { return CartChange([], nil) }
            let cart = try await self.current(&binding, in: context).cart
            return CartChange(try await self.allLines(of: cart, in: context), binding)
        }
    }

    func allLines(of cart: Cart, in context: StorefrontContext) async throws -> [CartLine] {
        var lines = cart.lines
        var cursor = cart.hasMoreLines ? cart.linesCursor : nil
        while let next = cursor {
            let query = CartLinesQuery(cartID: cart.id, after: next, lineCount: selection.lines)
            guard let page = try await client.execute(query, in: context).data?.lines else { throw CartVanished() }
            lines += page.nodes
            cursor = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : nil
            // A page that points to itself would never end.
            if cursor == next || page.nodes.isEmpty { cursor = nil }
        }
        return lines
    }

    /// Begins a cart with any number of lines.
    ///
    /// - Returns: A failure where the cart is there with some of the lines: it must be kept, and the caller told.
    func beginAll(
        _ lines: [CartLineInput],
        _ operation: CartOperation,
        _ context: StorefrontContext
    ) async throws -> CartChange<Result<SessionCart, IdentityError>> {
        let first = try await begin(Array(lines.prefix(Self.linesPerCall)), operation.session, context)
        guard var binding = first.binding, lines.count > Self.linesPerCall else {
            return CartChange(.success(first.result), first.binding, onConflict: .discardAndAgain)
        }
        do {
            var attachment = try await add(lines, from: 1, to: &binding, of: operation, in: context)
            attachment.warnings = first.result.warnings + attachment.warnings
            attachment.omitted = first.result.omitted + attachment.omitted
            attachment.problem = attachment.problem ?? first.result.problem
            return CartChange(.success(attachment.sessionCart(binding)), binding, onConflict: .discardAndAgain)
        } catch let error as IdentityError where error.code == .linesPartlyAdded {
            return CartChange(.failure(error), binding, onConflict: .discardAndAgain)
        }
    }

    /// Adds lines, in parts, none of them twice.
    ///
    /// - Parameter first: The first part to send; those before it are in the cart.
    /// - Throws: With code `IdentityError.Code.linesPartlyAdded` where an earlier part is in the cart and a later one failed.
    func add(
        _ lines: [CartLineInput],
        from first: Int = 0,
        to binding: inout CartBinding,
        of operation: CartOperation,
        in context: StorefrontContext
    ) async throws -> Attachment {
        var result: Attachment?
        let parts = lines.isEmpty ? [[]] : lines.parts(of: Self.linesPerCall)
        for (index, part) in parts.enumerated().dropFirst(first) {
            do {
                let next = try await add(part: part, to: &binding, of: operation, in: context)
                result = result.map { next.after($0) } ?? next
            } catch let error as IdentityError where index > 0 && error.kind != .cancelled {
                let isUnknown = error.code == .outcomeUnknown
                let addition = CartPartialAddition(
                    added: Array(parts[..<index].joined()),
                    unknown: isUnknown ? part : [],
                    missing: Array(parts[(isUnknown ? index + 1 : index)...].joined()),
                    problem: error
                )
                throw IdentityError.partlyAdded(addition)
            }
        }
        guard let result else { throw Self.noCart }
        return result
    }

    /// Adds as many lines as one call takes.
    private func add(
        part: [CartLineInput],
        to binding: inout CartBinding,
        of operation: CartOperation,
        in context: StorefrontContext
    ) async throws -> Attachment {
        let before = known.lines(of: binding.cartID)
        let add = CartLinesAdd(cartID: binding.cartID, lines: part)
        let reply: CartReply
        do {
            reply = try await send(add, in: context)
        } catch let error as IdentityError where error.code == .outcomeUnknown {
            return try await look(for: part, over: before, &binding, after: error, in: context)
        }
        guard case .silent = reply.verdict else {
            return try await accept(reply, &binding, of: operation, in: context)
        }
        return try await look(for: part, over: before, &binding, after: Self.silentAddition, in: context)
    }

    private static var silentAddition: IdentityError {
        IdentityError(
            .retryLater,
            .outcomeUnknown,
            "Shopify answered the addition of lines with neither a cart nor an error, and the lines were not found in the cart.",
            hint: "Read the cart before you add the lines again."
        )
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
