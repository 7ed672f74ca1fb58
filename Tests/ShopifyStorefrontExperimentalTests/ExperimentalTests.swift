import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import ShopifyStorefrontExperimental
import StorefrontSandbox
import TestGuides
import Testing

@Suite struct ExperimentalTests {
    private func answer(_ text: String) throws -> GraphQLNode { try GraphQLNode(parsing: Array(text.utf8)) }

    @Test("the caller's attempt token is sent unchanged, and a submission may be repeated with it", .row("D15"))
    func attemptToken() throws {
        let id = try #require(CartID(rawValue: "gid://shopify/Cart/c?key=k"))
        let operation = ExperimentalCartSubmitForCompletion(cartID: id, attemptToken: "attempt-1")
        #expect(operation.variables.json["attemptToken"] == .string("attempt-1"))
        #expect(ExperimentalCartSubmitForCompletion.document.repetition == .always)
        #expect(!"\(operation)".contains("attempt-1") && !"\(operation)".contains("key=k"))
    }

    @Test("each outcome of a completion is a case, also one that Shopify adds later", .row("D16"))
    func outcomes() throws {
        let ready = try ExperimentalCartPrepareForCompletion.output(
            answer(
                #"{"cartPrepareForCompletion":{"result":{"__typename":"CartThrottled","cart":null,"pollAfter":"2026-11-22T00:00:00Z"},"userErrors":[]}}"#
            )
        )
        guard case .cartThrottled(let throttled) = ready.result else {
            Issue.record("The result is not cartThrottled: \(ready)")
            return
        }
        #expect(throttled.pollAfter.text == "2026-11-22T00:00:00Z")
        let attempt = try ExperimentalCartCompletionAttempt.output(
            answer(#"{"cartCompletionAttempt":{"__typename":"CartCompletionProcessing","id":"a","pollDelay":500}}"#)
        )
        guard case .cartCompletionProcessing(let processing) = attempt else {
            Issue.record("The attempt is not cartCompletionProcessing: \(String(describing: attempt))")
            return
        }
        #expect(processing.pollDelay == 500)
        let later = try ExperimentalCartCompletionAttempt.output(
            answer(#"{"cartCompletionAttempt":{"__typename":"CartCompletionPostponed"}}"#)
        )
        guard case .other("CartCompletionPostponed") = later else {
            Issue.record("The attempt is not the unknown case: \(String(describing: later))")
            return
        }
    }
}

@Suite struct ExperimentalSandboxTests {
    private let sandbox: ShopSandbox
    private let client: StorefrontClient
    private let context = StorefrontContext(buyerIP: "203.0.113.7")
    /// The clock of the shop and of the client, so that a slow machine exceeds no time limit of retries and polling.
    private let clock: ManualClock

    init() async throws {
        clock = ManualClock(isAdvancedBySleeping: true)
        (sandbox, client) = try await Self.shop(isInvited: true, clock)
    }

    private static func shop(isInvited: Bool, _ clock: ManualClock) async throws -> (ShopSandbox, StorefrontClient) {
        var settings = SandboxStorefrontConfiguration()
        settings.servesRestrictedMutations = isInvited
        settings.completionPolls = 1
        settings.completionPollDelay = .milliseconds(120)
        var services = SandboxConfiguration()
        services.clock = clock
        let sandbox = try await ShopSandbox.start(services, storefront: settings)
        let configuration = try StorefrontConfiguration(
            shopDomain: "sandbox.example",
            authentication: .privateToken(Secret(sandbox.storefront.configuration.privateToken)),
            endpoint: try HTTPURL(sandbox.storefront.endpoint),
            allowsLoopbackHTTP: true,
            timeout: .seconds(120)
        )
        let environment = IdentityEnvironment(transport: try CurlTransport(), clock: clock)
        return (sandbox, StorefrontClient(configuration: configuration, environment: environment, retry: .none))
    }

    private func run<Operation: GraphQLOperation>(_ operation: Operation) async throws -> Operation.Output {
        try await client.execute(operation, in: context).data
    }

    /// Creates a cart with Ada's e-mail address and a mug.
    private func makeCart() async throws -> CartID {
        let create = CartCreate(
            lines: [CartLineInput(merchandiseID: "gid://shopify/ProductVariant/1")],
            buyerIdentity: CartBuyerIdentityInput(email: .set("ada@example.com"))
        )
        return try #require(try await run(create).cart).id
    }

    private func state(_ id: CartID) throws -> SandboxStorefront.CartState {
        try #require(sandbox.storefront.cartStates.first { $0.id == id.rawValue })
    }

    @Test("a copy has the lines without the buyer, and the buyer can be removed from the cart itself")
    func withoutBuyer() async throws {
        let id = try await makeCart()
        let clone = try await run(ExperimentalCartClone(cartID: id))
        let copy = try #require(clone.cart)
        #expect(clone.userErrors.isEmpty && copy.id != id && copy.totalQuantity == 1)
        #expect(try state(copy.id).email == nil)
        #expect(try state(id).email == "ada@example.com")
        let stripped = try await run(ExperimentalCartRemovePersonalData(cartID: id))
        #expect(stripped.userErrors.isEmpty && stripped.cart?.id == id)
        #expect(try state(id).email == nil)
    }

    @Test("a cart is paid and completed once, and its attempt is polled until the order exists", .row("D15"))
    func completion() async throws {
        let id = try await makeCart()
        let address = MailingAddressInput(city: .set("London"), country: .set("GB"))
        #expect(
            try await run(ExperimentalCartBillingAddressUpdate(cartID: id, billingAddress: .set(address))).cart?.id
                == id
        )
        let early = try await run(ExperimentalCartSubmitForCompletion(cartID: id, attemptToken: "early"))
        guard case .submitFailed(let refusal) = early.result else {
            Issue.record("The submission without a payment did not fail: \(early)")
            return
        }
        #expect(refusal.errors.map(\.code.rawValue) == ["NO_PAYMENT"])

        let payment = CartPaymentInput(
            amount: MoneyInput(amount: try #require(ShopifyDecimal(text: "12.5")), currencyCode: .usd),
            freePaymentMethod: .set(CartFreePaymentMethodInput(billingAddress: address))
        )
        #expect(try await run(ExperimentalCartPaymentUpdate(cartID: id, payment: payment)).userErrors.isEmpty)
        sandbox.storefront.throttleNextCompletions(pollAfter: .seconds(7))
        guard
            case .cartThrottled(let throttled) = try await run(ExperimentalCartPrepareForCompletion(cartID: id)).result
        else {
            Issue.record("The first preparation was not throttled.")
            return
        }
        #expect(throttled.cart?.id == id && throttled.pollAfter.date.timeIntervalSince(clock.now) == 7)
        guard case .cartStatusReady(let ready) = try await run(ExperimentalCartPrepareForCompletion(cartID: id)).result
        else {
            Issue.record("The second preparation was not ready.")
            return
        }
        #expect(ready.cart?.id == id)

        let submit = ExperimentalCartSubmitForCompletion(cartID: id, attemptToken: "attempt-1")
        guard case .submitSuccess(let success) = try await run(submit).result,
            case .submitAlreadyAccepted(let repeated) = try await run(submit).result
        else {
            Issue.record("The attempt was not accepted exactly once.")
            return
        }
        #expect(repeated.attemptID == success.attemptID)
        let attempt = ExperimentalCartCompletionAttempt(attemptID: success.attemptID)
        guard case .cartCompletionProcessing(let processing) = try await run(attempt),
            case .cartCompletionSuccess(let order) = try await run(attempt)
        else {
            Issue.record("The attempt was not processed and then completed.")
            return
        }
        #expect(processing.pollDelay == 120)
        #expect(order.orderID.hasPrefix("gid://shopify/Order/"))
        #expect(sandbox.storefront.cartStates.isEmpty)
        #expect(sandbox.storefront.requests.count { $0.bodyText.contains("attempt-1") } == 2)
    }

    @Test("a payment whose response is lost is sent again with the same attempt token, and carried out once")
    func lostPayment() async throws {
        let id = try await makeCart()
        let payment = CartPaymentInput(
            amount: MoneyInput(amount: try #require(ShopifyDecimal(text: "12.5")), currencyCode: .usd),
            sourceIdentifier: .set("order-1")
        )
        _ = try await run(ExperimentalCartPaymentUpdate(cartID: id, payment: payment))
        _ = try await run(ExperimentalCartPrepareForCompletion(cartID: id))
        sandbox.storefront.planFault(.loseResponse, on: .storefront)
        let patient = StorefrontClient(
            configuration: client.configuration,
            environment: IdentityEnvironment(transport: try CurlTransport(), clock: clock)
        )
        let submit = ExperimentalCartSubmitForCompletion(cartID: id, attemptToken: "attempt-1")
        guard case .submitAlreadyAccepted = try await patient.execute(submit, in: context).data.result else {
            Issue.record("The second request was not recognized as a repetition.")
            return
        }
        #expect(sandbox.storefront.requests.count { $0.bodyText.contains("attempt-1") } == 2)
    }

    @Test(
        "polling waits until the preparation is ready, as pollAfter says, and until the order exists, as pollDelay says",
        .row("D4", "D16")
    )
    func polling() async throws {
        let id = try await makeCart()
        let payment = CartPaymentInput(
            amount: MoneyInput(amount: try #require(ShopifyDecimal(text: "12.5")), currencyCode: .usd),
            sourceIdentifier: .set("order-1")
        )
        _ = try await run(ExperimentalCartPaymentUpdate(cartID: id, payment: payment))
        sandbox.storefront.throttleNextCompletions(times: 2, pollAfter: .milliseconds(100))
        let prepared = try await client.poll(
            ExperimentalCartPrepareForCompletion(cartID: id),
            in: context,
            every: .seconds(60),
            timeout: .seconds(59),
            hint: {
                if case .cartThrottled(let throttled) = $0.result { .after(throttled.pollAfter.date) } else { nil }
            },
            until: { if case .cartStatusReady = $0.result { true } else { false } }
        )
        #expect(prepared.data.userErrors.isEmpty)
        let submit = ExperimentalCartSubmitForCompletion(cartID: id, attemptToken: "attempt-1")
        guard case .submitSuccess(let success) = try await run(submit).result else {
            Issue.record("The attempt was not accepted.")
            return
        }
        let order = try await client.poll(
            ExperimentalCartCompletionAttempt(attemptID: success.attemptID),
            in: context,
            every: .seconds(60),
            timeout: .seconds(59),
            hint: {
                if case .cartCompletionProcessing(let state) = $0 {
                    .delay(.milliseconds(state.pollDelay))
                } else {
                    nil
                }
            },
            until: { if case .cartCompletionSuccess = $0 { true } else { false } }
        )
        guard case .cartCompletionSuccess(let done) = order.data else { return }
        #expect(done.orderID.hasPrefix("gid://shopify/Order/"))
        let bodies = sandbox.storefront.requests.map(\.bodyText)
        #expect(bodies.count { $0.contains("mutation ExperimentalCartPrepareForCompletion") } == 3)
        #expect(bodies.count { $0.contains("query ExperimentalCartCompletionAttempt") } == 2)
    }

    @Test("every generated operation runs, and none selects or sends what the schema does not have")
    func everyOperation() async throws {
        let id = try await makeCart()
        _ = try await run(ExperimentalCartClone(cartID: id))
        _ = try await run(ExperimentalCartRemovePersonalData(cartID: id))
        let address = MailingAddressInput(country: .set("GB"))
        _ = try await run(ExperimentalCartBillingAddressUpdate(cartID: id, billingAddress: .set(address)))
        let card = CartDirectPaymentMethodInput(
            billingAddress: address,
            sessionID: "session",
            cardSource: .set(.savedCreditCard),
            acceptedSubscriptionTerms: .set(true)
        )
        let amount = MoneyInput(amount: try #require(ShopifyDecimal(text: "12.5")), currencyCode: .usd)
        let payment = CartPaymentInput(amount: amount, directPaymentMethod: .set(card))
        #expect(try await run(ExperimentalCartPaymentUpdate(cartID: id, payment: payment)).userErrors.isEmpty)
        _ = try await run(ExperimentalCartPrepareForCompletion(cartID: id))
        _ = try await run(ExperimentalCartSubmitForCompletion(cartID: id, attemptToken: "t"))
        _ = try await run(ExperimentalCartCompletionAttempt(attemptID: "unknown"))
        let bodies = sandbox.storefront.requests.map(\.bodyText)
        #expect(try GeneratedOperations.missing(in: "ShopifyStorefrontExperimental", from: bodies) == [])
    }

    @Test("a shop that has not invited the app rejects the clone of a cart")
    func notInvited() async throws {
        let (sandbox, client) = try await Self.shop(isInvited: false, clock)
        let id = try #require(CartID(rawValue: "gid://shopify/Cart/c?key=k"))
        let error = await #expect(throws: IdentityError.self) {
            try await client.execute(ExperimentalCartClone(cartID: id), in: context)
        }
        #expect(error?.kind == .rejected && error?.code == .graphQLErrors)
        withExtendedLifetime(sandbox) {}
    }
}
