internal import IdentityHTTP
internal import IdentityKit
internal import IdentityWeb
internal import ShopifyGraphQL
internal import ShopifyStorefront

extension WebShop {
    func cart(_ context: WebContext) async throws -> WebResponse {
        let session = try await context.cartSession()
        var cart: SessionCart?
        if let session { cart = try await carts.read(for: session.id, in: caller(context)) }
        let whose = self.whose(session, cart)
        guard let cart, !cart.cart.lines.isEmpty, let session else {
            let content: Markup = """
                <h1>Cart</h1>\(whose)<p>Your cart is empty.</p><p><a class="button" href="/">See all products</a></p>
                """
            return try await page("Cart", content, in: context)
        }
        let lines =
            cart.cart.hasMoreLines
            ? try await carts.lines(for: session.id, in: caller(context)) : cart.cart.lines
        let pictures = await pictures(of: lines, context)
        let discounts = cart.cart.discountCodes.map { code -> Markup in
            "<p>Discount \(code.code)\(code.isApplicable ? "" : " (does not apply)")</p>"
        }
        return try await page(
            "Cart",
            """
            <h1>Cart</h1>\(whose)
            <ul class="lines">\(lines.map { line($0, pictures, context) })</ul>
            <div class="sum">\(discounts)
            <p>\(cart.cart.totalQuantity)\(cart.cart.totalQuantity == 1 ? " item" : " items") <strong>\(Self.price(cart.cart.total))</strong></p>
            <form method="post" action="/checkout">\(protection(context))<button>Check out</button></form>
            </div>
            """,
            in: context
        )
    }

    /// The pictures of the lines, by variant; empty if they cannot be fetched, because the page works without them.
    private func pictures(of lines: [CartLine], _ context: WebContext) async -> [String: StorefrontImage] {
        let operation = NodesByID(ids: lines.prefix(50).map(\.merchandiseID))
        guard let nodes = try? await storefront.execute(operation, in: caller(context)).data else {
            return [:]
        }
        return nodes.reduce(into: [:]) { pictures, node in
            if case .productVariant(let variant) = node?.concrete { pictures[variant.id] = variant.image }
        }
    }

    private func line(_ line: CartLine, _ pictures: [String: StorefrontImage], _ context: WebContext) -> Markup {
        """
        <li>\(picture(pictures[line.merchandiseID]))<div><span class="title">\(line.productTitle)</span> <small>\(line.variantTitle)</small></div>
        <form method="post" action="/cart/update">\(protection(context))<input type="hidden" name="line" value="\(line.id)">
        <label class="quantity"><span class="hidden">Quantity of \(line.productTitle)</span>
        <input name="quantity" type="number" min="0" max="99" value="\(line.quantity)" required></label>
        <button class="plain">Update</button>
        <button class="plain" name="remove" value="yes" aria-label="Remove \(line.productTitle)" formnovalidate>Remove</button></form>
        <span class="price">\(Self.price(line.total))</span></li>
        """
    }

    /// Says whose cart it is, and how the checkout will open.
    private func whose(_ session: Session?, _ cart: SessionCart?) -> Markup {
        guard let session, !session.isGuest else {
            return """
                <p class="whose">This is a guest’s cart. <a href="/auth/login?return=%2Fcart">Sign in</a> to make it yours.</p>
                """
        }
        let checkout =
            switch cart?.identity {
            case .customer: "The checkout opens signed in."
            case .contact: "The checkout opens with your contact filled in."
            case .degraded: "The checkout opens as a guest’s for the moment."
            case .guest, nil: "The checkout asks for your contact."
            }
        let whose: Markup =
            if let name = Self.knownName(of: session.buyer) {
                "This is the cart of <strong>\(name)</strong>"
            } else {
                "This is your cart"
            }
        return """
            <p class="whose">\(whose), signed in with \
            \(provider(of: session)?.displayName ?? session.provider). \(checkout)</p>
            """
    }

    func provider(of session: Session) -> ProviderDescriptor? {
        try? sessions.descriptor(of: session.provider)
    }

    func addToCart(_ context: WebContext) async throws -> WebResponse {
        guard let variant = context.request.formValue("variant"), let quantity = quantity(context), quantity > 0 else {
            throw Notice(text: .refused, page: "/")
        }
        let session = try await context.beginCartSession()
        let added = try await changing(page: "/cart") {
            try await carts.add(
                [CartLineInput(merchandiseID: variant, quantity: .set(quantity))],
                for: session.id,
                in: caller(context)
            )
        }
        throw Notice(text: added.warnings.isEmpty ? .added : .stock, page: "/cart")
    }

    func updateCart(_ context: WebContext) async throws -> WebResponse {
        // The button "Remove" also sends the quantity. It is ignored, because in a merged cart it can be above the form's maximum.
        let wanted = context.request.formValue("remove") == nil ? quantity(context) : 0
        guard let session = try await context.cartSession(), let line = context.request.formValue("line"),
            let quantity = wanted
        else { throw Notice(text: .refused, page: "/cart") }
        let changed = try await changing(page: "/cart") {
            if quantity == 0 {
                return try await carts.remove(lineIDs: [line], for: session.id, in: caller(context))
            }
            let change = CartLineUpdateInput(id: .set(line), quantity: .set(quantity))
            return try await carts.update([change], for: session.id, in: caller(context))
        }
        throw Notice(text: changed.warnings.isEmpty ? .saved : .stock, page: "/cart")
    }

    /// Attaches a signed-in buyer's identity to the cart, and redirects the browser to the shop's checkout.
    func checkout(_ context: WebContext) async throws -> WebResponse {
        guard let session = try await context.cartSession() else { throw Notice(text: .refused, page: "/cart") }
        let handoff = try await changing(page: "/cart") {
            try await carts.checkout(for: session.id, in: caller(context))
        }
        // The checkout URL signs in every browser that opens it, so only this redirect contains it.
        return try .redirect(to: handoff.url.reveal().text)
    }

    private func quantity(_ context: WebContext) -> Int? {
        context.request.formValue("quantity").flatMap { Int($0) }.flatMap { (0...99).contains($0) ? $0 : nil }
    }

    /// Runs an operation; if Shopify rejects the operation, the browser goes to `page`, which shows a notice.
    func changing<Value>(page: String, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as IdentityError where error.kind == .rejected {
            throw Notice(text: .refused, page: page)
        }
    }
}
