internal import FoundationEssentials
internal import IdentityKit
public import IdentitySandbox
internal import Synchronization

/// The sandbox's Storefront API at the shop's own domain: carts with state, and a GraphQL evaluator.
///
/// A document that selects an unknown field fails as it does at Shopify. Customer access tokens are those of
/// `SandboxShopify`, which also answers the discovery documents at this origin.
public final class SandboxStorefront: SandboxService, SandboxShop {
    /// The state of a cart, for a test to inspect.
    public struct CartState: Sendable, Equatable {
        /// The cart's whole id.
        public let id: String
        /// The customer access token on it.
        public let customerAccessToken: String?
        /// The e-mail address and telephone number that were set.
        public let email: String?, phone: String?
        /// The country that was set.
        public let countryCode: String?
        /// Variant ids and quantities.
        public let quantities: [String: Int]
        /// The first line, city and country of the addresses.
        public let addresses: [String]
        /// The company location that was set.
        public let companyLocationID: String?
        /// Note, discount codes and the last characters of gift cards.
        public let note: String?, discountCodes: [String], giftCards: [String]
        /// Values of metafields by key.
        public let metafields: [String: String]
        /// Attributes by key.
        public let attributes: [String: String]
        /// The handle of the delivery option that was chosen.
        public let deliveryOption: String?
        /// How many lines there are.
        public let lineCount: Int
    }

    /// The record of requests, and the planned misbehaviours.
    public let journal = SandboxJournal()
    /// The origin that stands for `https://{shop}.myshopify.com`.
    public let origin: String
    /// How it was set up.
    public let configuration: SandboxStorefrontConfiguration

    private let customers: SandboxCustomers
    private let clock: any IdentityClock
    private let carts = Mutex<[String: Cart]>([:])
    private let faults = Mutex(StorefrontFaults())
    private let legacy = Mutex(LegacyCustomers())

    init(_ configuration: SandboxStorefrontConfiguration, _ customers: SandboxCustomers, in sandbox: Sandbox) {
        self.configuration = configuration
        self.customers = customers
        origin = sandbox.shopOrigin
        clock = sandbox.configuration.clock
    }

    /// The API's URL in its newest version.
    public var endpoint: String { endpoint(version: ShopifyVersions.newest) }

    /// The API's URL in a version.
    public func endpoint(version: String) -> String { "\(origin)/api/\(version)/graphql.json" }

    // MARK: A look from the side

    /// All carts, in no order.
    public var cartStates: [CartState] {
        carts.withLock { carts in
            carts.values.map { cart in
                CartState(
                    id: cart.id,
                    customerAccessToken: cart.identity.accessToken,
                    email: cart.identity.email,
                    phone: cart.identity.phone,
                    countryCode: cart.identity.countryCode,
                    quantities: cart.lines.reduce(into: [:]) { $0[$1.variant.id, default: 0] += $1.quantity },
                    addresses: cart.addresses.map { address in
                        ["address1", "city", "countryCode"].compactMap { address.fields[$0]?.string }
                            .joined(separator: ", ")
                    },
                    companyLocationID: cart.identity.companyLocationID,
                    note: cart.note,
                    discountCodes: cart.discountCodes,
                    giftCards: cart.giftCards.map { String($0.code.suffix(4)) },
                    metafields: cart.metafields.mapValues(\.value),
                    attributes: cart.attributes.reduce(into: [:]) {
                        $0[$1["key"]?.string ?? ""] = $1["value"]?.string ?? ""
                    },
                    deliveryOption: cart.deliveryOption,
                    lineCount: cart.lines.count
                )
            }
        }
    }

    /// Removes a cart, as a completed order or its expiry does.
    public func removeCart(_ id: String) {
        guard let parts = Cart.parse(id) else { return }
        carts.withLock { $0[parts.token] = nil }
    }

    // MARK: What goes wrong in the shop's own state

    /// Refuses the next mutations of carts with a user error; nothing is carried out.
    public func refuseNext(
        code: String,
        field: [String] = [],
        message: String = "Made by the sandbox.",
        times: Int = 1
    ) {
        let refusal = CartUserError(code: code, field: field, message: message)
        faults.withLock { $0.refusals += Array(repeating: refusal, count: times) }
    }

    /// Accepts the next customer access tokens without an error and without effect.
    public func swallowNextTokens(times: Int = 1) {
        faults.withLock { $0.swallowedTokens += times }
    }

    /// Answers the next preparations and submissions of a completion with "throttled" and a time to poll again.
    public func throttleNextCompletions(times: Int = 1, pollAfter pause: Duration = .seconds(1)) {
        faults.withLock { $0.throttles += Array(repeating: pause, count: times) }
    }

    /// Gives a cart another id; the next call under the old one is answered with the new one, later ones find nothing.
    ///
    /// - Parameters:
    ///   - id: The cart.
    ///   - keepingBuyer: Whether the new cart keeps the buyer.
    /// - Returns: The new id, nil where there is no such cart.
    @discardableResult
    public func moveCart(_ id: String, keepingBuyer: Bool = false) -> String? {
        guard let parts = Cart.parse(id), let old = carts.withLock({ $0.removeValue(forKey: parts.token) }) else {
            return nil
        }
        var moved = old
        moved.token = "hWN" + RandomText.hexadecimal(29)
        moved.key = RandomText.hexadecimal(32)
        if !keepingBuyer { moved.removePersonalData() }
        save(moved)
        faults.withLock { $0.moves[old.token] = (old.key, moved.token, moved.key) }
        return moved.id
    }

    func takeRefusal() -> CartUserError? {
        faults.withLock { $0.refusals.isEmpty ? nil : $0.refusals.removeFirst() }
    }

    func takeThrottle() -> Duration? {
        faults.withLock { $0.throttles.isEmpty ? nil : $0.throttles.removeFirst() }
    }

    func beginAttempt(_ attempt: String, of token: String) {
        faults.withLock { $0.attempts[attempt] = (token, 0) }
    }

    /// Whether an attempt is done, which removes its cart; nil for an unknown attempt.
    func continueAttempt(_ attempt: String, after polls: Int) -> Bool? {
        let state = faults.withLock { faults -> (token: String, isDone: Bool)? in
            guard let known = faults.attempts[attempt] else { return nil }
            faults.attempts[attempt] = (known.token, known.polls + 1)
            return (known.token, known.polls >= polls)
        }
        if let state, state.isDone { carts.withLock { $0[state.token] = nil } }
        return state?.isDone
    }

    var now: Date { clock.now }

    /// Changes the legacy customers, all or nothing.
    func withLegacy<Value: Sendable>(
        _ body: (inout LegacyCustomers) throws(LegacyCustomers.Refusal) -> Value
    ) -> Result<Value, LegacyCustomers.Refusal> {
        legacy.withLock { customers in
            var changed = customers
            do throws(LegacyCustomers.Refusal) {
                let value = try body(&changed)
                customers = changed
                return .success(value)
            } catch {
                return .failure(error)
            }
        }
    }

    // MARK: Carts for the resolvers

    var shopFacts: ShopFacts {
        ShopFacts(configuration: configuration) { [customers, configuration] token in
            customers.buyer(forCartToken: token, takesAccountTokens: configuration.takesCustomerAccountTokens)
        } swallowsToken: { [self] in
            faults.withLock { faults in
                guard faults.swallowedTokens > 0 else { return false }
                faults.swallowedTokens -= 1
                return true
            }
        }
    }

    /// The id of the cart for a call; after a move, once, the new id.
    func current(_ id: String) -> (token: String, key: String?)? {
        guard let parts = Cart.parse(id) else { return nil }
        let move = faults.withLock { faults -> (token: String, key: String)? in
            guard let move = faults.moves[parts.token], move.oldKey == parts.key else { return nil }
            faults.moves[parts.token] = nil
            return (move.token, move.key)
        }
        return move.map { ($0.token, $0.key) } ?? parts
    }

    func cart(token: String) -> Cart? {
        carts.withLock { $0[token] }
    }

    func save(_ cart: Cart) {
        carts.withLock { $0[cart.token] = cart }
    }

    func withCart(
        _ token: String,
        _ body: (inout Cart?) throws(CartUserError) -> Cart
    ) -> Result<Cart, CartUserError> {
        carts.withLock { carts in
            do throws(CartUserError) { return .success(try body(&carts[token])) } catch { return .failure(error) }
        }
    }

    // MARK: Requests

    package func customerAccountAPI(_ call: SandboxCall) -> SandboxAnswer {
        customers.customerAccountAPI(call)
    }

    package func route(_ path: String) -> SandboxRoute {
        let endpoint: SandboxEndpoint =
            path.hasPrefix("/api/") ? .storefront : path.hasPrefix("/cart/c/") ? .checkout : .other
        return SandboxRoute(journal: journal, endpoint: endpoint) { [self] call in
            switch endpoint {
            case .storefront: api(call.request)
            case .checkout: checkout(call.request)
            default: .json(["errors": .string("Not Found")], status: 404)
            }
        }
    }

    private func api(_ request: SandboxRequest) -> SandboxAnswer {
        journal.count(\.apiCalls)
        let parts = request.path.split(separator: "/").map(String.init)
        guard parts.count == 3, parts[2] == "graphql.json", let version = ShopifyVersions.serving(parts[1]) else {
            return .json(["errors": .string("Not Found")], status: 404)
        }
        let identifier = RandomText.hexadecimal(32)
        func finish(_ answer: SandboxAnswer) -> SandboxAnswer {
            answer.with("X-Shopify-API-Version", version).with("X-Request-Id", identifier)
        }
        let publicToken = request.header("x-shopify-storefront-access-token")
        let privateToken = request.header("shopify-storefront-private-token")
        guard publicToken.map({ $0 == configuration.publicToken }) ?? true,
            privateToken.map({ $0 == configuration.privateToken }) ?? true
        else {
            let error: JSONObject = [
                "message": .string(""), "extensions": .object(["code": .string("UNAUTHORIZED")]),
            ]
            return finish(.json(["errors": .array([.object(error)])], status: 401))
        }
        let isJSON = request.header("content-type")?.lowercased().hasPrefix("application/json") == true
        guard request.method == "POST", isJSON, let body = try? JSONValue(parsing: request.body),
            body["query"]?.string != nil
        else {
            let hint: JSONObject = ["query": .string("Required parameter missing or invalid")]
            return finish(.json(["errors": .object(hint)], status: 400))
        }
        let namesBuyer = request.header("shopify-storefront-buyer-ip")?.isEmpty == false
        if configuration.rejectsIdentityWithoutBuyerIP, privateToken != nil, !namesBuyer,
            Self.carriesIdentity(body["variables"])
        {
            return finish(.html("<h1>Security Rejection</h1>", status: 430))
        }
        let viewer = CartViewer(
            mayReadCustomer: publicToken != nil || privateToken != nil,
            mayAuthenticateCheckout: privateToken == nil || namesBuyer || !configuration.requiresBuyerIP,
            now: clock.now
        )
        guard let executor = executor(viewer, version) else { return finish(.json([:], status: 500)) }
        return finish(.json(executor.run(body)))
    }

    private static func carriesIdentity(_ variables: JSONValue?) -> Bool {
        guard let object = variables?.object else { return false }
        return object.members.contains { member in
            member.name == "customerAccessToken" && member.value.string != nil || carriesIdentity(member.value)
        }
    }

    // MARK: Checkout

    /// The URL of the web checkout.
    ///
    /// It opens signed in only when the customer's token is valid at this moment.
    func checkoutURL(of cart: Cart, hasKey: Bool, _ viewer: CartViewer) -> String {
        var fields: [(name: String, value: String)] = []
        if hasKey { fields.append(("key", cart.checkoutKey)) }
        let isAlive = cart.identity.accessToken.map { shopFacts.customer($0) != nil } ?? false
        if hasKey, isAlive, viewer.mayAuthenticateCheckout {
            fields.append(("_sandbox_identity", "customer"))
            fields.append(("_sandbox_issued", String(viewer.now.epochSeconds)))
        }
        // Shopify encodes the consent in `_cs`. Its encoding is not documented; here the names that the visitor allowed or denied stand.
        if let consent = viewer.consent {
            let choices = consent.members.compactMap { member in
                member.value.bool.map { "\(member.name)-\($0 ? "yes" : "no")" }
            }
            fields.append(("_cs", choices.joined(separator: ".")))
        }
        return FormText.append(fields, to: "\(origin)/cart/c/\(cart.token)")
    }

    private func checkout(_ request: SandboxRequest) -> SandboxAnswer {
        let token = request.path.split(separator: "/").last.map(String.init) ?? ""
        guard let cart = cart(token: token) else {
            return .html(
                NoticePages.error(brand: "Shopify checkout", "The cart does not exist.", hint: "It may be completed."),
                status: 404
            )
        }
        // A URL that is stale or has no key opens a guest checkout.
        let issued = request.queryValue("_sandbox_issued").flatMap(Int.init) ?? 0
        let isFresh = clock.now.epochSeconds - issued <= configuration.checkoutURLLifetime.wholeSeconds
        let isSignedIn =
            request.queryValue("key") == cart.checkoutKey
            && request.queryValue("_sandbox_identity") == "customer" && isFresh
        let buyer = isSignedIn ? cart.identity.accessToken.flatMap(shopFacts.customer) : nil
        let currency = configuration.currencyCode
        let total = "\(cart.total / 100).\(cart.total % 100 < 10 ? "0" : "")\(cart.total % 100) \(currency)"
        return .html(
            NoticePages.checkout(
                buyer: buyer?.account.email,
                lines: cart.lines.map { ("\($0.variant.product), \($0.variant.title)", $0.quantity) },
                total: total
            )
        )
    }
}
