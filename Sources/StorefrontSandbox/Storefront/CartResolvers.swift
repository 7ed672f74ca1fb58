internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySandbox

extension SandboxStorefront {
    typealias Change = @Sendable (inout Cart, JSONObject, inout [CartWarning]) throws(CartUserError) -> Void

    func executor(_ viewer: CartViewer, _ version: String) -> GraphExecutor? {
        let isRestricted = configuration.servesRestrictedMutations
        let schemas = isRestricted ? StorefrontSchema.restrictedSchemas : StorefrontSchema.schemas
        guard let schema = schemas[version] else { return nil }
        var queries = catalogueQueries
        queries["cart"] = { [self] call in
            guard let parts = current(call.arguments["id"]?.string ?? ""), let cart = cart(token: parts.token) else {
                return .null
            }
            return node(of: cart, hasKey: parts.key == cart.key, viewer.during(call))
        }
        var mutations: [String: GraphExecutor.Resolver] = ["cartCreate": { [self] call in create(call, viewer) }]
        for (name, change) in changes {
            mutations[name] = { [self] call in update(call, payload(of: name), viewer, change) }
        }
        mutations.merge(metafieldMutations(viewer.now)) { $1 }
        queries.merge(legacyQueries) { $1 }
        mutations.merge(legacyMutations) { $1 }
        if isRestricted {
            queries.merge(restrictedQueries) { $1 }
            mutations.merge(restrictedMutations(viewer)) { $1 }
        }
        return GraphExecutor(schema: schema, queries: queries, mutations: mutations)
    }

    private func payload(of mutation: String) -> String {
        mutation.prefix(1).uppercased() + mutation.dropFirst() + "Payload"
    }

    private var changes: [String: Change] {
        let shop = shopFacts
        return [
            "cartLinesAdd": { cart, arguments, warnings throws(CartUserError) in
                try cart.addLines(arguments["lines"]?.array ?? [], shop, field: ["lines"], &warnings)
            },
            "cartLinesUpdate": { cart, arguments, warnings throws(CartUserError) in
                try cart.updateLines(arguments["lines"]?.array ?? [], shop, &warnings)
            },
            "cartLinesRemove": { cart, arguments, _ throws(CartUserError) in
                let ids = (arguments["lineIds"]?.array ?? []) + (arguments["viewKeys"]?.array ?? [])
                try cart.removeLines(ids.compactMap(\.string))
            },
            "cartBuyerIdentityUpdate": { cart, arguments, _ throws(CartUserError) in
                try cart.updateIdentity(arguments["buyerIdentity"]?.object ?? [:], shop, field: ["buyerIdentity"])
            },
            "cartAttributesUpdate": { cart, arguments, _ in cart.attributes = arguments["attributes"]?.array ?? [] },
            "cartNoteUpdate": { cart, arguments, _ in cart.note = arguments["note"]?.string },
            "cartDiscountCodesUpdate": { cart, arguments, warnings in
                cart.setDiscountCodes(arguments["discountCodes"]?.array ?? [], &warnings)
            },
            "cartGiftCardCodesAdd": { cart, arguments, _ throws(CartUserError) in
                try cart.addGiftCards(arguments["giftCardCodes"]?.array ?? [], field: ["giftCardCodes"])
            },
            "cartGiftCardCodesUpdate": { cart, arguments, _ throws(CartUserError) in
                cart.giftCards = []
                try cart.addGiftCards(arguments["giftCardCodes"]?.array ?? [], field: ["giftCardCodes"])
            },
            "cartGiftCardCodesRemove": { cart, arguments, _ in
                let ids = (arguments["appliedGiftCardIds"]?.array ?? []).compactMap(\.string)
                cart.giftCards.removeAll { ids.contains($0.id) }
            },
            "cartDeliveryAddressesAdd": { cart, arguments, warnings throws(CartUserError) in
                try cart.addAddresses(arguments["addresses"]?.array ?? [], field: ["addresses"], &warnings)
            },
            "cartDeliveryAddressesReplace": { cart, arguments, warnings throws(CartUserError) in
                try cart.replaceAddresses(arguments["addresses"]?.array ?? [], &warnings)
            },
            "cartDeliveryAddressesUpdate": { cart, arguments, _ throws(CartUserError) in
                try cart.updateAddresses(arguments["addresses"]?.array ?? [])
            },
            "cartDeliveryAddressesRemove": { cart, arguments, _ throws(CartUserError) in
                try cart.removeAddresses((arguments["addressIds"]?.array ?? []).compactMap(\.string))
            },
            "cartSelectedDeliveryOptionsUpdate": { cart, arguments, _ throws(CartUserError) in
                try cart.selectDelivery(arguments["selectedDeliveryOptions"]?.array ?? [])
            },
        ]
    }

    private func create(_ call: GraphCall, _ viewer: CartViewer) -> GraphNode {
        let viewer = viewer.during(call)
        let input = call.arguments["input"]?.object ?? [:]
        let shop = shopFacts
        var cart = Cart(at: viewer.now)
        var warnings: [CartWarning] = []
        do throws(CartUserError) {
            if let refusal = takeRefusal() { throw refusal }
            guard input["metafields"]?.array?.allSatisfy(Cart.Metafield.fits) ?? true else {
                let field = ["input", "metafields"]
                throw CartUserError(code: "INVALID_METAFIELDS", field: field, message: "A metafield is too long.")
            }
            if let identity = input["buyerIdentity"]?.object {
                try cart.updateIdentity(identity, shop, field: ["input", "buyerIdentity"])
            }
            if cart.identity.countryCode == nil { cart.identity.countryCode = call.context["country"]?.string }
            try cart.addLines(input["lines"]?.array ?? [], shop, field: ["input", "lines"], &warnings)
            try cart.addAddresses(
                input["delivery"]?["addresses"]?.array ?? [],
                field: ["input", "delivery", "addresses"],
                &warnings
            )
            try cart.addGiftCards(input["giftCardCodes"]?.array ?? [], field: ["input", "giftCardCodes"])
        } catch {
            return payloadNode("CartCreatePayload", .null, [error], [])
        }
        for field in input["metafields"]?.array ?? [] {
            guard let key = field["key"]?.string else { continue }
            cart.metafields[key] = Cart.Metafield(
                key: key,
                type: field["type"]?.string ?? "",
                value: field["value"]?.string ?? "",
                updatedAt: viewer.now
            )
        }
        cart.attributes = input["attributes"]?.array ?? []
        cart.note = input["note"]?.string
        cart.setDiscountCodes(input["discountCodes"]?.array ?? [], &warnings)
        save(cart)
        return payloadNode("CartCreatePayload", node(of: cart, hasKey: true, viewer), [], warnings)
    }

    func update(_ call: GraphCall, _ payload: String, _ viewer: CartViewer, _ change: Change) -> GraphNode {
        let viewer = viewer.during(call)
        let parts = current(call.arguments["cartId"]?.string ?? "")
        var warnings: [CartWarning] = []
        let outcome = withCart(parts?.token ?? "") { stored throws(CartUserError) -> Cart in
            if let refusal = takeRefusal() { throw refusal }
            guard var cart = stored, let key = parts?.key, cart.key == key else { throw .cartMissing }
            try change(&cart, call.arguments, &warnings)
            cart.updatedAt = viewer.now
            stored = cart
            return cart
        }
        switch outcome {
        case .success(let cart): return payloadNode(payload, node(of: cart, hasKey: true, viewer), [], warnings)
        case .failure(let error):
            // Returns the unchanged cart, or null for an unknown cart.
            let unchanged = parts.flatMap { cart(token: $0.token) }
            let isOwner = unchanged.map { $0.key == parts?.key } ?? false
            let current = isOwner ? unchanged.map { node(of: $0, hasKey: true, viewer) } : nil
            return payloadNode(payload, current ?? .null, [error], [])
        }
    }

    func payloadNode(
        _ type: String,
        _ cart: GraphNode,
        _ errors: [CartUserError],
        _ warnings: [CartWarning]
    ) -> GraphNode {
        let warningNodes = warnings.map { warning in
            GraphNode.object(
                "CartWarning",
                ["code": .text(warning.code), "message": .text(warning.message), "target": .text(warning.target)]
            )
        }
        return .object(
            type,
            ["cart": cart, "userErrors": .list(errors.map(Self.errorNode)), "warnings": .list(warningNodes)]
        )
    }

    static func errorNode(_ error: CartUserError) -> GraphNode {
        .object(
            "CartUserError",
            [
                "code": .text(error.code), "field": .list(error.field.map { .text($0) }),
                "message": .text(error.message),
            ]
        )
    }
}

extension Cart {
    mutating func setDiscountCodes(_ codes: [JSONValue], _ warnings: inout [CartWarning]) {
        discountCodes = codes.compactMap(\.string).filter { !$0.isEmpty }.reduce(into: []) { known, code in
            if !known.contains(where: { $0.lowercased() == code.lowercased() }) { known.append(code) }
        }
        for code in discountCodes where !isApplicable(code) {
            let needsCustomer = code.uppercased() == Self.membersDiscount
            warnings.append(
                CartWarning(
                    code: needsCustomer ? "DISCOUNT_ELIGIBLE_CUSTOMER_MISSING" : "DISCOUNT_NOT_FOUND",
                    message: needsCustomer ? "Sign in to use this discount." : "Discount code not found.",
                    target: code
                )
            )
        }
    }

    /// Applies gift cards; a blank code is refused, and every other one is a card with a balance.
    mutating func addGiftCards(_ codes: [JSONValue], field: [String]) throws(CartUserError) {
        let codes = codes.compactMap(\.string)
        if let index = codes.firstIndex(where: { $0.allSatisfy(\.isWhitespace) }) {
            let message = "The gift card code is blank."
            throw CartUserError(code: "INVALID", field: field + [String(index)], message: message)
        }
        for code in codes where !giftCards.contains(where: { $0.code.lowercased() == code.lowercased() }) {
            giftCards.append(GiftCard(id: nextID("AppliedGiftCard"), code: code))
        }
    }

    mutating func selectDelivery(_ inputs: [JSONValue]) throws(CartUserError) {
        for input in inputs {
            guard input["deliveryGroupId"]?.string == SandboxStorefront.deliveryGroupID(of: self) else {
                throw CartUserError(
                    code: "INVALID_DELIVERY_GROUP",
                    field: ["selectedDeliveryOptions"],
                    message: "The group is invalid."
                )
            }
            guard let handle = input["deliveryOptionHandle"]?.string,
                SandboxStorefront.deliveryOptions.contains(where: { $0.handle == handle })
            else {
                throw CartUserError(
                    code: "INVALID_DELIVERY_OPTION",
                    field: ["selectedDeliveryOptions"],
                    message: "The option is invalid."
                )
            }
            deliveryOption = handle
        }
    }
}
