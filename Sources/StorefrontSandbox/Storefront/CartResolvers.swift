internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySandbox

extension SandboxStorefront {
    typealias Change = @Sendable (inout Cart, JSONObject) throws(UserError) -> Void

    func executor(_ viewer: CartViewer, _ version: String) -> GraphExecutor? {
        let isRestricted = configuration.servesRestrictedMutations
        let schemas = isRestricted ? StorefrontSchema.restrictedSchemas : StorefrontSchema.schemas
        guard let schema = schemas[version] else { return nil }
        var queries = catalogueQueries
        queries["cart"] = { [self] call in
            guard let parts = current(call.arguments.text("id")), let cart = cart(token: parts.token) else {
                return .null
            }
            return node(of: cart, hasKey: parts.key == cart.key, viewer.during(call))
        }
        var mutations = metafieldMutations(viewer.now)
        mutations["cartCreate"] = { [self] call in try create(call, viewer) }
        for (name, change) in changes {
            mutations[name] = { [self] call in update(call, viewer, change) }
        }
        queries.merge(legacyQueries) { $1 }
        mutations.merge(legacyMutations) { $1 }
        if isRestricted {
            queries.merge(restrictedQueries) { $1 }
            mutations.merge(restrictedMutations(viewer)) { $1 }
        }
        let missingScopes = viewer.hasToken ? [:] : scopesOfFields
        return GraphExecutor(schema: schema, queries: queries, mutations: mutations, missingScopes: missingScopes)
    }

    /// The access scope of each field that needs an access token; without a token, the error of the field names the scope.
    private var scopesOfFields: [String: String] {
        var scopes = [
            "QueryRoot.productTags": "unauthenticated_read_product_tags",
            "Product.tags": "unauthenticated_read_product_tags",
        ]
        for name in legacyQueries.keys { scopes["QueryRoot.\(name)"] = "unauthenticated_read_customers" }
        for name in legacyMutations.keys { scopes["Mutation.\(name)"] = "unauthenticated_write_customers" }
        return scopes
    }

    private var changes: [String: Change] {
        [
            "cartLinesAdd": { [self] cart, arguments throws(UserError) in
                try cart.addLines(arguments.list("lines"), self, field: ["lines"])
            },
            "cartLinesUpdate": { [self] cart, arguments throws(UserError) in
                try cart.updateLines(arguments.list("lines"), self)
            },
            "cartLinesRemove": { cart, arguments throws(UserError) in
                let ids = arguments.list("lineIds") + arguments.list("viewKeys")
                try cart.removeLines(ids.compactMap(\.string))
            },
            "cartBuyerIdentityUpdate": { [self] cart, arguments throws(UserError) in
                try cart.updateIdentity(arguments.object("buyerIdentity"), self, field: ["buyerIdentity"])
            },
            "cartAttributesUpdate": { cart, arguments in cart.attributes = arguments.list("attributes") },
            "cartNoteUpdate": { cart, arguments in cart.note = arguments["note"]?.string },
            "cartDiscountCodesUpdate": { cart, arguments in
                cart.setDiscountCodes(arguments.list("discountCodes"))
            },
            "cartGiftCardCodesAdd": { cart, arguments throws(UserError) in
                try cart.addGiftCards(arguments.list("giftCardCodes"), field: ["giftCardCodes"])
            },
            "cartGiftCardCodesUpdate": { cart, arguments throws(UserError) in
                cart.giftCards = []
                try cart.addGiftCards(arguments.list("giftCardCodes"), field: ["giftCardCodes"])
            },
            "cartGiftCardCodesRemove": { cart, arguments in
                let ids = arguments.list("appliedGiftCardIds").compactMap(\.string)
                cart.giftCards.removeAll { ids.contains($0.id) }
            },
            "cartDeliveryAddressesAdd": { [self] cart, arguments throws(UserError) in
                try cart.addAddresses(arguments.list("addresses"), self, field: ["addresses"])
            },
            "cartDeliveryAddressesReplace": { [self] cart, arguments throws(UserError) in
                cart.addresses = []
                try cart.addAddresses(arguments.list("addresses"), self, field: ["addresses"])
            },
            "cartDeliveryAddressesUpdate": { [self] cart, arguments throws(UserError) in
                try cart.updateAddresses(arguments.list("addresses"), self)
            },
            "cartDeliveryAddressesRemove": { cart, arguments throws(UserError) in
                try cart.removeAddresses(arguments.list("addressIds").compactMap(\.string))
            },
            "cartSelectedDeliveryOptionsUpdate": { cart, arguments throws(UserError) in
                try cart.selectDelivery(arguments.list("selectedDeliveryOptions"))
            },
        ]
    }

    private func create(_ call: GraphCall, _ viewer: CartViewer) throws(UserError) -> [String: GraphNode] {
        let viewer = viewer.during(call)
        let input = call.arguments.object("input")
        var cart = Cart(at: viewer.now)
        if let refusal = takeRefusal() { throw refusal }
        guard input["metafields"]?.array?.allSatisfy(Cart.Metafield.fits) ?? true else {
            let field = ["input", "metafields"]
            throw UserError("INVALID_METAFIELDS", at: field, "A metafield is too long.")
        }
        if let identity = input["buyerIdentity"]?.object {
            try cart.updateIdentity(identity, self, field: ["input", "buyerIdentity"])
        }
        if cart.identity.countryCode == nil { cart.identity.countryCode = call.context["country"]?.string }
        try cart.addLines(input["lines"]?.array ?? [], self, field: ["input", "lines"])
        let addresses = input["delivery"]?["addresses"]?.array ?? []
        try cart.addAddresses(addresses, self, field: ["input", "delivery", "addresses"])
        try cart.addGiftCards(input["giftCardCodes"]?.array ?? [], field: ["input", "giftCardCodes"])
        for field in input["metafields"]?.array ?? [] {
            let metafield = Cart.Metafield(field, at: viewer.now)
            cart.metafields[metafield.key] = metafield
        }
        cart.attributes = input["attributes"]?.array ?? []
        cart.note = input["note"]?.string
        cart.setDiscountCodes(input["discountCodes"]?.array ?? [])
        save(cart)
        return ["cart": node(of: cart, hasKey: true, viewer), "warnings": Self.list(cart.warnings)]
    }

    func update(_ call: GraphCall, _ viewer: CartViewer, _ change: Change) -> [String: GraphNode] {
        let viewer = viewer.during(call)
        let parts = current(call.arguments.text("cartId"))
        do throws(UserError) {
            if let refusal = takeRefusal() { throw refusal }
            let cart = try changeCart(parts) { cart throws(UserError) in
                cart.warnings = []
                try change(&cart, call.arguments)
                cart.updatedAt = viewer.now
                return cart
            }
            return ["cart": node(of: cart, hasKey: true, viewer), "warnings": Self.list(cart.warnings)]
        } catch {
            // The payload of a refused mutation has the unchanged cart, or null if the cart id or its key is wrong.
            let unchanged = parts.flatMap { cart(token: $0.token) }
            let isOwner = unchanged.map { $0.key == parts?.key } ?? false
            let current = isOwner ? unchanged.map { node(of: $0, hasKey: true, viewer) } : nil
            return ["cart": current ?? .null, "userErrors": .list([.userError(error)])]
        }
    }

    private static func list(_ warnings: [CartWarning]) -> GraphNode {
        .list(
            warnings.map {
                ["code": .text($0.code), "message": .text($0.message), "target": .text($0.target)]
            }
        )
    }
}

extension Cart {
    mutating func setDiscountCodes(_ codes: [JSONValue]) {
        discountCodes = codes.compactMap(\.string).filter { !$0.isEmpty }.reduce(into: []) { known, code in
            if !known.contains(where: { $0.lowercased() == code.lowercased() }) { known.append(code) }
        }
        for code in discountCodes where !isApplicable(code) {
            let (reason, message) =
                code.uppercased() == Self.membersDiscount
                ? ("DISCOUNT_ELIGIBLE_CUSTOMER_MISSING", "Sign in to use this discount.")
                : ("DISCOUNT_NOT_FOUND", "Discount code not found.")
            warnings.append(CartWarning(code: reason, message: message, target: code))
        }
    }

    /// Adds gift cards to the cart; every code that is not blank is a valid gift card.
    mutating func addGiftCards(_ codes: [JSONValue], field: [String]) throws(UserError) {
        let codes = codes.compactMap(\.string)
        if let index = codes.firstIndex(where: { $0.allSatisfy(\.isWhitespace) }) {
            let message = "The gift card code is blank."
            throw UserError("INVALID", at: field + [String(index)], message)
        }
        for code in codes where !giftCards.contains(where: { $0.code.lowercased() == code.lowercased() }) {
            giftCards.append(GiftCard(id: nextID("AppliedGiftCard"), code: code))
        }
    }

    mutating func selectDelivery(_ inputs: [JSONValue]) throws(UserError) {
        for input in inputs {
            guard input["deliveryGroupId"]?.string == SandboxStorefront.deliveryGroupID(of: self) else {
                let message = "The delivery group is invalid."
                throw UserError("INVALID_DELIVERY_GROUP", at: ["selectedDeliveryOptions"], message)
            }
            guard let handle = input["deliveryOptionHandle"]?.string,
                SandboxStorefront.deliveryOptions.contains(where: { $0.handle == handle })
            else {
                let message = "The delivery option is invalid."
                throw UserError("INVALID_DELIVERY_OPTION", at: ["selectedDeliveryOptions"], message)
            }
            deliveryOption = handle
        }
    }
}
