internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySandbox

/// The state of a cart's payment and completion, which Shopify permits to selected apps only.
struct CartCompletion: Sendable {
    var isPaid = false
    var isPrepared = false
    /// The accepted completion attempt: its id, and the `attemptToken` that the app chose.
    var attempt: (id: String, token: String)?
}

extension SandboxStorefront {
    var restrictedQueries: [String: GraphExecutor.Resolver] {
        ["cartCompletionAttempt": { [self] call in completionAttempt(call.arguments.text("attemptId")) }]
    }

    func restrictedMutations(_ viewer: CartViewer) -> [String: GraphExecutor.Mutation] {
        [
            "cartClone": { [self] call in
                // The payload does not contain the new id of a moved cart, so the old id stays valid.
                let cart = try changeCart(current(call.arguments.text("cartId"), endsMove: false)) { $0 }
                let copy = cart.copyWithoutBuyer(at: viewer.now)
                save(copy)
                return ["cart": node(of: copy, hasKey: true, viewer.during(call))]
            },
            "cartRemovePersonalData": { [self] call in
                update(call, viewer) { cart, _ in cart.removePersonalData() }
            },
            "cartBillingAddressUpdate": { [self] call in
                update(call, viewer) { cart, arguments in
                    cart.billingAddress = arguments["billingAddress"]?.object
                }
            },
            "cartPaymentUpdate": { [self] call in
                update(call, viewer) { cart, _ in cart.completion.isPaid = true }
            },
            // Both mutations below check and change the cart under one lock, so that concurrent submissions start only one attempt.
            "cartPrepareForCompletion": { [self] call in
                let owner = current(call.arguments.text("cartId"))
                return ["result": try changeCart(owner) { prepare(&$0, viewer.during(call)) }]
            },
            "cartSubmitForCompletion": { [self] call in
                let token = call.arguments.text("attemptToken")
                // The result has no cart, so the old id of a moved cart stays valid.
                let owner = current(call.arguments.text("cartId"), endsMove: false)
                return ["result": try changeCart(owner) { submit(&$0, token, viewer.during(call)) }]
            },
        ]
    }

    private func prepare(_ cart: inout Cart, _ viewer: CartViewer) -> GraphNode {
        let node = node(of: cart, hasKey: true, viewer)
        if let pause = takeThrottle() {
            let next = GraphNode.date(viewer.now + pause.timeInterval)
            return ["__typename": .text("CartThrottled"), "cart": node, "pollAfter": next]
        }
        guard !cart.lines.isEmpty else {
            let error: GraphNode = ["code": .text("CART_EMPTY"), "message": .text("The cart has no lines.")]
            return ["__typename": .text("CartStatusNotReady"), "cart": node, "errors": .list([error])]
        }
        cart.completion.isPrepared = true
        return ["__typename": .text("CartStatusReady"), "cart": node]
    }

    /// Starts an attempt to complete a cart; refuses every other token after an attempt was accepted.
    ///
    /// Shopify promises only that it accepts each `attemptToken` once. So at Shopify, an app that repeats a submission with a new token
    /// could pay twice. The sandbox refuses the new token, so that a test of the app finds this mistake.
    private func submit(_ cart: inout Cart, _ token: String, _ viewer: CartViewer) -> GraphNode {
        let url = GraphNode.text(checkoutURL(of: cart, hasKey: true, viewer))
        func failed(_ code: String, _ message: String) -> GraphNode {
            let error: GraphNode = ["code": .text(code), "message": .text(message)]
            return ["__typename": .text("SubmitFailed"), "checkoutUrl": url, "errors": .list([error])]
        }
        if let attempt = cart.completion.attempt {
            guard attempt.token == token else { return failed("ERROR", "Another attempt was accepted.") }
            return ["__typename": .text("SubmitAlreadyAccepted"), "attemptId": .text(attempt.id)]
        }
        if let pause = takeThrottle() {
            return ["__typename": .text("SubmitThrottled"), "pollAfter": .date(viewer.now + pause.timeInterval)]
        }
        guard cart.completion.isPrepared, cart.completion.isPaid else {
            return failed("NO_PAYMENT", "The cart must be prepared and paid before it is submitted.")
        }
        let attempt = RandomText.hexadecimal(16)
        cart.completion.attempt = (attempt, token)
        beginAttempt(attempt, of: cart.token)
        return ["__typename": .text("SubmitSuccess"), "attemptId": .text(attempt), "redirectUrl": url]
    }

    /// Handles a poll of a completion attempt: `CartCompletionProcessing` as often as configured, then `CartCompletionSuccess`.
    private func completionAttempt(_ id: String) -> GraphNode {
        switch continueAttempt(id, after: configuration.completionPolls) {
        case nil: .null
        case false?:
            [
                "__typename": .text("CartCompletionProcessing"), "id": .text(id),
                "pollDelay": .integer(Int((configuration.completionPollDelay / .milliseconds(1)).rounded())),
            ]
        case true?:
            [
                "__typename": .text("CartCompletionSuccess"),
                "id": .text(id), "completedAt": .date(now), "orderId": .text("gid://shopify/Order/\(id)"),
                "orderUrl": .text("\(origin)/orders/\(id)"),
            ]
        }
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

    func copyWithoutBuyer(at now: Date) -> Cart {
        var copy = Cart(at: now)
        copy.lines = lines
        for index in copy.lines.indices { copy.lines[index].id = copy.nextID("CartLine") }
        copy.attributes = attributes
        copy.note = note
        copy.discountCodes = discountCodes
        copy.identity.countryCode = identity.countryCode
        return copy
    }
}
