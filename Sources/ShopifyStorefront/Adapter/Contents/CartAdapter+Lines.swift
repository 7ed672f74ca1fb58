public import IdentityKit
internal import ShopifyGraphQL

extension CartAdapter {
    /// Shopify's maximum number of lines in one request.
    static let linesPerCall = 250

    /// Adds lines to the session's cart.
    ///
    /// If the session has no cart, or if Shopify no longer has the session's cart, the adapter creates a cart with the lines.
    ///
    /// A request that Shopify may have executed is not repeated. If the response is lost, or contains neither a cart nor user errors, the
    /// adapter compares the cart's quantities before and after the request. The lines count as added if the quantities have grown at least
    /// by those of the lines. For this comparison, this process must have seen all lines of the cart at most 10 seconds before the request.
    ///
    /// More than 250 lines are sent in several requests. If Shopify returns the cart under a new id, the adapter puts the identity on the
    /// cart again. If this fails, no error is thrown: ``SessionCart/problem`` has the reason.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.outcomeUnknown` when it is not known whether the lines were added: read the
    ///   cart before you add the lines again. The code `IdentityError.Code.linesPartlyAdded`, with a ``CartPartialAddition`` as the cause,
    ///   means that the lines needed several requests, and a request failed after an earlier one had succeeded.
    @discardableResult
    public func add(
        _ lines: [CartLineInput],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await withLockedCart(id, .creating) { locked in
            guard var binding = locked.binding else {
                return try await self.createCart(withAll: lines, locked, context)
            }
            do {
                let result = try await self.add(lines, to: &binding, of: locked, in: context)
                return CartChange(result.sessionCart(binding), saving: binding, onConflict: .keep)
            } catch let error as IdentityError where error.code == .linesPartlyAdded || error.kind == .cancelled {
                // Saves the binding after the failure too: Shopify may have returned a new cart id after an earlier part of the lines.
                return CartChange(throwing: error, saving: binding, onConflict: .keep)
            }
        }
    }

    /// Changes lines of the session's cart.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.cartUserErrors` when a line does not exist or Shopify rejects the change.
    @discardableResult
    public func update(
        _ lines: [CartLineUpdateInput],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await mutate(on: id, in: context) { binding in
            CartLinesUpdate(cartID: binding.cartID, lines: lines)
        }
    }

    /// Removes lines from the session's cart; lines that no longer exist count as removed.
    ///
    /// - Throws: `IdentityError`.
    @discardableResult
    public func remove(
        lineIDs: [String],
        for id: SessionID,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> SessionCart {
        try await remove(lineIDs, for: id, in: context) {
            CartLinesRemove(cartID: $0, lineIDs: $1)
        } present: {
            try await self.allLines(of: $0, needsContents: false, in: context).map(\.id)
        }
    }

    /// Reads all lines of the session's cart, from all pages; empty when the session has no cart.
    ///
    /// - Throws: `IdentityError`.
    public func lines(for id: SessionID, in context: StorefrontContext = StorefrontContext()) async throws -> [CartLine]
    {
        try await withLockedCart(id) { locked -> CartChange<[CartLine]> in
            guard var binding = locked.binding else { return CartChange([], saving: nil) }
            let cart = try await self.current(&binding, in: context).cart
            let lines = try await self.allLines(of: cart, needsContents: false, in: context)
            return CartChange(lines, saving: binding)
        }
    }

    /// The maximum number of lines that are read from one cart; Shopify returns at most this many elements of a list.
    private static let maximumLines = 25_000

    /// Returns all lines of a cart: the first page from `cart`, and the further pages, which are read from Shopify.
    ///
    /// If the pages do not end, this method throws, because a merge or a copy with only some of the lines would lose the other lines. With
    /// `needsContents`, it also throws if a GraphQL error hides a part of a page.
    func allLines(
        of cart: Cart,
        needsContents: Bool = true,
        in context: StorefrontContext
    ) async throws -> [CartLine] {
        var lines = cart.lines
        var (hasMore, end, cursor) = (cart.hasMoreLines, cart.linesCursor, String?.none)
        while hasMore {
            guard let next = end, cursor?.isIdentical(to: next) != true, lines.count < Self.maximumLines else {
                throw Self.endlessLines
            }
            let query = CartLinesQuery(cartID: cart.id, after: next, lineCount: selection.lines)
            let result = try await client.execute(query, in: context)
            guard let page = result.data?.lines else { throw CartGone(result.metadata) }
            guard !needsContents || selection.showsContents(despite: result.errors) else {
                throw client.failure(of: result, CartLinesQuery.document)
            }
            lines += page.nodes
            // Without this check, a list of empty pages would never end, because its lines never reach `maximumLines`.
            guard !page.nodes.isEmpty || !page.pageInfo.hasNextPage else { throw Self.endlessLines }
            (hasMore, end, cursor) = (page.pageInfo.hasNextPage, page.pageInfo.endCursor, next)
        }
        return lines
    }

    private static var endlessLines: IdentityError {
        IdentityError(
            .rejected,
            .unexpectedResponse,
            "The pages of the cart's lines do not end: a page with hasNextPage = true has no line or no new "
                + "endCursor, or the list already has \(maximumLines) lines.",
            hint: "Try again. If the error persists, replace the session's cart with create(_:for:in:).",
            reference: "Storefront API reference, PageInfo"
        )
    }

    /// Adds lines with one request for each 250 lines; a request that Shopify may have executed is not repeated.
    ///
    /// `first` is the number of requests to omit at the start, because their lines are already in the cart. If a request fails after lines
    /// of an earlier request were added, the error has the code `linesPartlyAdded`; a cancellation and ``CartGone`` are thrown unchanged.
    func add(
        _ lines: [CartLineInput],
        from first: Int = 0,
        to binding: inout CartBinding,
        of locked: LockedCart,
        in context: StorefrontContext
    ) async throws -> CartIdentityResult {
        var result: CartIdentityResult?
        let parts = lines.isEmpty ? [[]] : lines.parts(of: Self.linesPerCall)
        for (index, part) in parts.enumerated().dropFirst(first) {
            do {
                let next = try await add(part: part, to: &binding, of: locked, in: context)
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

    private func add(
        part: [CartLineInput],
        to binding: inout CartBinding,
        of locked: LockedCart,
        in context: StorefrontContext
    ) async throws -> CartIdentityResult {
        let before = lineCache.lines(of: binding.cartID, at: client.environment.clock.now)
        let add = CartLinesAdd(cartID: binding.cartID, lines: part)
        let response: CartMutationResponse
        do {
            response = try await send(add, in: context)
        } catch let error as IdentityError where error.code == .outcomeUnknown {
            return try await confirm(part, above: before, &binding, after: error, in: context)
        }
        let problem: IdentityError
        switch response.outcome {
        case .empty: problem = Self.silentAddition(response.metadata)
        case .failed(let error): problem = error
        case .done, .gone, .tokenRefused, .refused:
            return try await accept(response, &binding, of: locked, in: context)
        }
        return try await confirm(part, above: before, &binding, after: problem, in: context)
    }

    private static func silentAddition(_ metadata: GraphQLMetadata) -> IdentityError {
        IdentityError(
            .retryLater,
            .outcomeUnknown,
            "The response to cartLinesAdd has no cart and no error. It is not known whether the lines were added.",
            hint: "Read the cart before you add the lines again.",
            providerResponse: IdentityError.ProviderResponse(metadata)
        )
    }

    /// Returns the cart if its quantities show that a request added the lines although its response was lost or has no cart.
    ///
    /// Otherwise, or if the quantities before the request are unknown, throws `error`. ``CartGone`` and a cancellation of the read are
    /// thrown unchanged.
    private func confirm(
        _ lines: [CartLineInput],
        above before: CartLineCounts?,
        _ binding: inout CartBinding,
        after error: IdentityError,
        in context: StorefrontContext
    ) async throws -> CartIdentityResult {
        guard let before else { throw error }
        do {
            let result = try await current(&binding, needsContents: true, in: context)
            let now = CartLineCounts(try await allLines(of: result.cart, in: context).map(CartLineInput.init))
            guard now.contain(lines, above: before) else { throw error }
            return result
        } catch let failure as IdentityError {
            guard failure.kind != .cancelled else { throw failure }
            throw error
        }
    }
}
