internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySandbox

/// Payment and completion of a cart, which Shopify permits to selected apps only.
struct CartCompletion: Sendable {
    var isPaid = false
    var isPrepared = false
    /// The attempts by their tokens; a repeated token starts no new attempt.
    var attempts: [String: String] = [:]
}

extension SandboxStorefront {
    var restrictedQueries: [String: GraphExecutor.Resolver] {
        ["cartCompletionAttempt": { [self] call in completionAttempt(call.arguments["attemptId"]?.string ?? "") }]
    }

    func restrictedMutations(_ viewer: CartViewer) -> [String: GraphExecutor.Resolver] {
        [
            "cartClone": { [self] call in clone(call, viewer) },
            "cartRemovePersonalData": { [self] call in
                update(call, "CartRemovePersonalDataPayload", viewer) { cart, _, _ in cart.removePersonalData() }
            },
            "cartBillingAddressUpdate": { [self] call in
                update(call, "CartBillingAddressUpdatePayload", viewer) { cart, arguments, _ in
                    cart.billingAddress = arguments["billingAddress"]?.object
                }
            },
            "cartPaymentUpdate": { [self] call in
                update(call, "CartPaymentUpdatePayload", viewer) { cart, _, _ in cart.completion.isPaid = true }
            },
            "cartPrepareForCompletion": { [self] call in prepare(call, viewer) },
            "cartSubmitForCompletion": { [self] call in submit(call, viewer) },
        ]
    }

    private func owned(_ call: GraphCall) -> Cart? {
        guard let parts = Cart.parse(call.arguments["cartId"]?.string ?? ""), let cart = cart(token: parts.token),
            cart.key == parts.key
        else { return nil }
        return cart
    }

    /// A copy without the buyer, for `cartClone` and a checkout without key.
    private func clone(_ call: GraphCall, _ viewer: CartViewer) -> GraphNode {
        guard let cart = owned(call) else { return payloadNode("CartClonePayload", .null, [.cartMissing], []) }
        let copy = cart.copyWithoutBuyer(at: viewer.now)
        save(copy)
        return payloadNode("CartClonePayload", node(of: copy, hasKey: true, viewer.during(call)), [], [])
    }

    private func result(_ payload: String, _ node: GraphNode, _ errors: [CartUserError] = []) -> GraphNode {
        .object(payload, ["result": node, "userErrors": .list(errors.map(Self.errorNode))])
    }

    private func prepare(_ call: GraphCall, _ viewer: CartViewer) -> GraphNode {
        let viewer = viewer.during(call)
        let payload = "CartPrepareForCompletionPayload"
        guard let cart = owned(call) else { return result(payload, .null, [.cartMissing]) }
        let node = node(of: cart, hasKey: true, viewer)
        if let pause = takeThrottle() {
            return result(
                payload,
                .object("CartThrottled", ["cart": node, "pollAfter": .date(viewer.now + pause.seconds)])
            )
        }
        guard !cart.lines.isEmpty else {
            let error = GraphNode.object(
                "CartOperationError",
                ["code": .text("CART_EMPTY"), "message": .text("The cart has no lines.")]
            )
            return result(payload, .object("CartStatusNotReady", ["cart": node, "errors": .list([error])]))
        }
        var prepared = cart
        prepared.completion.isPrepared = true
        save(prepared)
        return result(
            payload,
            .object("CartStatusReady", ["cart": node])
        )
    }

    private func submit(_ call: GraphCall, _ viewer: CartViewer) -> GraphNode {
        let viewer = viewer.during(call)
        let payload = "CartSubmitForCompletionPayload"
        let token = call.arguments["attemptToken"]?.string ?? ""
        guard var cart = owned(call) else { return result(payload, .null, [.cartMissing]) }
        if let known = cart.completion.attempts[token] {
            return result(payload, .object("SubmitAlreadyAccepted", ["attemptId": .text(known)]))
        }
        if let pause = takeThrottle() {
            return result(payload, .object("SubmitThrottled", ["pollAfter": .date(viewer.now + pause.seconds)]))
        }
        guard cart.completion.isPrepared, cart.completion.isPaid else {
            let error = GraphNode.object(
                "SubmissionError",
                ["code": .text("NO_PAYMENT"), "message": .text("Prepare and pay first.")]
            )
            return result(
                payload,
                .object(
                    "SubmitFailed",
                    ["checkoutUrl": .text(checkoutURL(of: cart, hasKey: true, viewer)), "errors": .list([error])]
                )
            )
        }
        let attempt = RandomText.hexadecimal(16)
        cart.completion.attempts[token] = attempt
        save(cart)
        beginAttempt(attempt, of: cart.token)
        return result(
            payload,
            .object(
                "SubmitSuccess",
                [
                    "attemptId": .text(attempt),
                    "redirectUrl": .text(checkoutURL(of: cart, hasKey: true, viewer)),
                ]
            )
        )
    }

    /// "Processing" as often as configured, then a completed order, which removes the cart.
    private func completionAttempt(_ id: String) -> GraphNode {
        switch continueAttempt(id, after: configuration.completionPolls) {
        case nil: .null
        case false?:
            .object(
                "CartCompletionProcessing",
                ["id": .text(id), "pollDelay": .integer(configuration.completionPollDelay.wholeMilliseconds)]
            )
        case true?:
            .object(
                "CartCompletionSuccess",
                [
                    "id": .text(id), "completedAt": .date(now), "orderId": .text("gid://shopify/Order/\(id)"),
                    "orderUrl": .text("\(origin)/orders/\(id)"),
                ]
            )
        }
    }
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }

    fileprivate var wholeMilliseconds: Int {
        Int((seconds * 1000).rounded())
    }
}

extension Cart {
    mutating func removePersonalData() {
        let country = identity.countryCode
        identity = Identity()
        identity.countryCode = country
        addresses = []
        billingAddress = nil
    }

    /// A copy of the lines and all other data that are not personal, with a new id.
    func copyWithoutBuyer(at now: Date) -> Cart {
        var copy = Cart(at: now)
        for line in lines {
            copy.lines.append(
                Line(
                    id: copy.nextID("CartLine"),
                    variant: line.variant,
                    quantity: line.quantity,
                    attributes: line.attributes,
                    sellingPlanID: line.sellingPlanID,
                    parent: line.parent
                )
            )
        }
        copy.attributes = attributes
        copy.note = note
        copy.discountCodes = discountCodes
        copy.identity.countryCode = identity.countryCode
        return copy
    }
}
