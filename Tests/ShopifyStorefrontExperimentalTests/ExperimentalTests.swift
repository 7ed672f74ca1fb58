import IdentityHTTP
import IdentityKit
import IdentitySandbox
import ShopifyGraphQL
import ShopifyStorefront
import ShopifyStorefrontExperimental
import StorefrontSandbox
import Testing

@Suite struct ExperimentalTests {
    private func answer(_ text: String) throws -> GraphQLNode { try GraphQLNode(parsing: Array(text.utf8)) }

    @Test("the caller's attempt token is sent unchanged, and a submission may be repeated with it")
    func attemptToken() throws {
        let id = try #require(CartID(rawValue: "gid://shopify/Cart/c?key=k"))
        let operation = ExperimentalCartSubmitForCompletion(cartID: id, attemptToken: "attempt-1")
        #expect(operation.variables.json["attemptToken"] == .string("attempt-1"))
        #expect(ExperimentalCartSubmitForCompletion.document.repetition == .always)
        #expect(!"\(operation)".contains("attempt-1") && !"\(operation)".contains("key=k"))
    }

    @Test("each outcome of a completion is a case, also one that Shopify adds later")
    func outcomes() throws {
        let ready = try ExperimentalCartPrepareForCompletion.output(
            answer(
                #"{"cartPrepareForCompletion":{"result":{"__typename":"CartThrottled","cart":null,"pollAfter":"2026-11-22T00:00:00Z"},"userErrors":[]}}"#
            )
        )
        guard case .cartThrottled(let throttled) = ready.result else {
            Issue.record("\(ready)")
            return
        }
        #expect(throttled.pollAfter.text == "2026-11-22T00:00:00Z")
        let attempt = try ExperimentalCartCompletionAttempt.output(
            answer(#"{"cartCompletionAttempt":{"__typename":"CartCompletionProcessing","id":"a","pollDelay":500}}"#)
        )
        guard case .cartCompletionProcessing(let processing) = attempt else {
            Issue.record("\(String(describing: attempt))")
            return
        }
        #expect(processing.pollDelay == 500)
        let later = try ExperimentalCartCompletionAttempt.output(
            answer(#"{"cartCompletionAttempt":{"__typename":"CartCompletionPostponed"}}"#)
        )
        guard case .other("CartCompletionPostponed") = later else {
            Issue.record("\(String(describing: later))")
            return
        }
    }
}

/// The operations against the sandbox, over HTTP.
@Suite struct ExperimentalSandboxTests {
    private let sandbox: ShopSandbox
    private let client: StorefrontClient
    private let context = StorefrontContext(buyerIP: "203.0.113.7")

    init() async throws { (sandbox, client) = try await Self.shop(isInvited: true) }

    private static func shop(isInvited: Bool) async throws -> (ShopSandbox, StorefrontClient) {
        var settings = SandboxStorefrontConfiguration()
        settings.servesRestrictedMutations = isInvited
        settings.completionPolls = 1
        let sandbox = try await ShopSandbox.start(storefront: settings)
        let configuration = try StorefrontConfiguration(
            shopDomain: "sandbox.example",
            authentication: .privateToken(Secret(sandbox.storefront.configuration.privateToken)),
            endpoint: try HTTPURL(sandbox.storefront.endpoint),
            allowsLoopbackHTTP: true,
            timeout: .seconds(120)
        )
        let environment = IdentityEnvironment(transport: try CurlTransport())
        return (sandbox, StorefrontClient(configuration: configuration, environment: environment, retry: .none))
    }

    private func run<Operation: GraphQLOperation>(_ operation: Operation) async throws -> Operation.Output {
        try await client.execute(operation, in: context).data
    }

    /// A cart of Ada's with a mug in it.
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

    @Test("a cart is paid and completed once, and its attempt is polled until the order exists")
    func completion() async throws {
        let id = try await makeCart()
        let address = MailingAddressInput(city: .set("London"), country: .set("GB"))
        #expect(
            try await run(ExperimentalCartBillingAddressUpdate(cartID: id, billingAddress: .set(address))).cart?.id
                == id
        )
        let early = try await run(ExperimentalCartSubmitForCompletion(cartID: id, attemptToken: "early"))
        guard case .submitFailed(let refusal) = early.result else {
            Issue.record("\(early)")
            return
        }
        #expect(refusal.errors.map(\.code.rawValue) == ["NO_PAYMENT"])

        let payment = CartPaymentInput(
            amount: MoneyInput(amount: try #require(ShopifyDecimal(text: "12.5")), currencyCode: .usd),
            freePaymentMethod: .set(CartFreePaymentMethodInput(billingAddress: address))
        )
        #expect(try await run(ExperimentalCartPaymentUpdate(cartID: id, payment: payment)).userErrors.isEmpty)
        sandbox.storefront.throttleNextCompletions(pollAfter: .seconds(7))
        guard case .cartThrottled = try await run(ExperimentalCartPrepareForCompletion(cartID: id)).result else {
            Issue.record("The first preparation was not throttled.")
            return
        }
        guard case .cartStatusReady(let ready) = try await run(ExperimentalCartPrepareForCompletion(cartID: id)).result
        else {
            Issue.record("The second preparation was not ready.")
            return
        }
        #expect(ready.cart?.id == id && ready.checkoutURL != nil)

        let submit = ExperimentalCartSubmitForCompletion(cartID: id, attemptToken: "attempt-1")
        guard case .submitSuccess(let success) = try await run(submit).result,
            case .submitAlreadyAccepted(let repeated) = try await run(submit).result
        else {
            Issue.record("The attempt was not accepted exactly once.")
            return
        }
        #expect(repeated.attemptID == success.attemptID)
        let attempt = ExperimentalCartCompletionAttempt(attemptID: success.attemptID)
        guard case .cartCompletionProcessing = try await run(attempt),
            case .cartCompletionSuccess(let order) = try await run(attempt)
        else {
            Issue.record("The attempt was not processed and then completed.")
            return
        }
        #expect(order.orderID.hasPrefix("gid://shopify/Order/"))
        #expect(sandbox.storefront.cartStates.isEmpty)
    }

    @Test("a shop that has not invited the app rejects every operation")
    func notInvited() async throws {
        let (sandbox, client) = try await Self.shop(isInvited: false)
        let id = try #require(CartID(rawValue: "gid://shopify/Cart/c?key=k"))
        let error = await #expect(throws: IdentityError.self) {
            try await client.execute(ExperimentalCartClone(cartID: id), in: context)
        }
        #expect(error?.kind == .rejected && error?.code == .graphQLErrors)
        withExtendedLifetime(sandbox) {}
    }
}
