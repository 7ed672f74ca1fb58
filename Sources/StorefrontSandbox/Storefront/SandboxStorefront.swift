internal import FoundationEssentials
internal import IdentityKit
public import IdentitySandbox
internal import Synchronization

/// The sandbox's Storefront API at the shop's own domain: carts with state, and a GraphQL evaluator.
///
/// A document that selects an unknown field fails, as at Shopify. Carts accept the tokens of legacy customers, customer access tokens
/// from `storefrontCustomerAccessTokenCreate` and, unless `takesCustomerAccountTokens` is false, access tokens of `SandboxShopify`. The
/// same domain serves the discovery documents of `SandboxShopify`.
public final class SandboxStorefront: SandboxService, ShopRouting {
    /// The state of a cart, for a test to inspect.
    public struct CartState: Sendable, Equatable {
        /// The cart's id, with its secret key.
        public let id: String
        /// The customer access token on the cart.
        public let customerAccessToken: String?
        /// The e-mail address and the phone number that were set.
        public let email: String?, phone: String?
        /// The country that was set.
        public let countryCode: String?
        /// The quantity of each variant, by the variant's id.
        public let quantities: [String: Int]
        /// The first line, city and country of each address, separated by commas.
        public let addresses: [String]
        /// The company location that was set.
        public let companyLocationID: String?
        /// Note, discount codes and the last four characters of gift cards.
        public let note: String?, discountCodes: [String], giftCards: [String]
        /// Values of metafields by key.
        public let metafields: [String: String]
        /// Attributes by key.
        public let attributes: [String: String]
        /// The handle of the delivery option that was chosen.
        public let deliveryOption: String?
        /// The number of lines in the cart.
        public let lineCount: Int
    }

    private struct Faults {
        var refusals: [UserError] = []
        var swallowedTokens = 0
        var throttles: [Duration] = []
        /// The moved carts by their old tokens: the old key, and the new token and key.
        var moves: [String: (oldKey: String, token: String, key: String)] = [:]
        /// The pending completions by their attempt ids: the cart's token, and how often the attempt was polled.
        var attempts: [String: (token: String, polls: Int)] = [:]
    }

    /// The record of requests, and the planned faults.
    public let journal = SandboxJournal()
    /// The origin that stands for `https://{shop}.myshopify.com`.
    public let origin: String
    /// The configuration with which the Storefront API was created.
    public let configuration: SandboxStorefrontConfiguration

    let customers: SandboxCustomers
    private let clock: any IdentityClock
    private let carts = Mutex<[String: Cart]>([:])
    private let faults = Mutex(Faults())
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

    // MARK: State for tests

    /// All carts, in an undefined order.
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

    /// Removes a cart, as a completed order or the cart's expiry does.
    public func removeCart(_ id: String) {
        if let parts = Cart.parse(id) { _ = takeCart(token: parts.token) }
    }

    // MARK: Planned faults of the shop's state

    /// Refuses the next mutations of carts with a user error, without executing them.
    ///
    /// The plan does not affect mutations of metafields, `cartClone`, and the preparation and submission of a completion.
    public func refuseNext(
        code: String,
        field: [String] = [],
        message: String = "Planned by the sandbox.",
        times: Int = 1
    ) {
        let refusal = UserError(code, at: field, message)
        faults.withLock { $0.refusals += Array(repeating: refusal, count: max(0, times)) }
    }

    /// Ignores the next customer access tokens that a client puts on a cart: the cart gets no customer, and the response has no error.
    public func swallowNextTokens(times: Int = 1) {
        faults.withLock { $0.swallowedTokens += max(0, times) }
    }

    /// Answers the next preparations and submissions of a completion with "throttled" and a time to poll again.
    public func throttleNextCompletions(times: Int = 1, pollAfter pause: Duration = .seconds(1)) {
        faults.withLock { $0.throttles += Array(repeating: pause, count: max(0, times)) }
    }

    /// Gives a cart another id.
    ///
    /// The next call with the old id returns the cart with the new id, and later calls find no cart. Mutations of metafields, `cartClone`
    /// and the submission of a completion do not return the cart. These calls accept the old id and leave it valid.
    ///
    /// - Parameters:
    ///   - id: The cart's id.
    ///   - keepingBuyer: Whether the cart keeps the buyer's identity and addresses; it keeps the country in any case.
    /// - Returns: The new id; nil for an unknown cart.
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
        faults.withLock { faults in
            faults.moves[old.token] = (old.key, moved.token, moved.key)
            // The old ids of earlier moves must also lead to the new id, and a pending completion must remove the cart by its new id.
            for (first, move) in faults.moves where move.token == old.token {
                faults.moves[first] = (move.oldKey, moved.token, moved.key)
            }
            for (attempt, known) in faults.attempts where known.token == old.token {
                faults.attempts[attempt]?.token = moved.token
            }
        }
        return moved.id
    }

    func takeRefusal() -> UserError? {
        faults.withLock { $0.refusals.isEmpty ? nil : $0.refusals.removeFirst() }
    }

    func takeThrottle() -> Duration? {
        faults.withLock { $0.throttles.isEmpty ? nil : $0.throttles.removeFirst() }
    }

    func beginAttempt(_ attempt: String, of token: String) {
        faults.withLock { $0.attempts[attempt] = (token, 0) }
    }

    /// Counts a poll of a completion attempt; returns true and removes the cart if the attempt is done, nil for an unknown attempt.
    func continueAttempt(_ attempt: String, after polls: Int) -> Bool? {
        let known = faults.withLock { faults in
            faults.attempts[attempt]?.polls += 1
            return faults.attempts[attempt]
        }
        guard let known else { return nil }
        guard known.polls > polls else { return false }
        _ = takeCart(token: known.token)
        return true
    }

    var now: Date { clock.now }

    /// Changes the legacy customers; if `body` throws an error, the customers stay unchanged.
    func withLegacy<Value: Sendable>(_ body: (inout LegacyCustomers) throws -> Value) throws -> Value {
        try legacy.withLock { customers in
            var changed = customers
            let value = try body(&changed)
            customers = changed
            return value
        }
    }

    // MARK: Carts for the resolvers

    /// Returns the buyer of a customer access token; nil if a cart must reject the token.
    func customer(forToken token: String) -> KnownBuyer? {
        if let legacy = legacy.withLock({ $0.customer(token, at: now) }) { return legacy.buyer }
        return customers.buyer(forCartToken: token, takesAccountTokens: configuration.takesCustomerAccountTokens)
    }

    func variant(_ id: String) -> SandboxStorefrontConfiguration.Variant? {
        configuration.variants.first { $0.id == id }
    }

    /// Whether a cart must ignore a customer access token because of ``swallowNextTokens(times:)``; each true result counts one token.
    func swallowsToken() -> Bool {
        faults.withLock { faults in
            guard faults.swallowedTokens > 0 else { return false }
            faults.swallowedTokens -= 1
            return true
        }
    }

    /// Splits a cart id into its token and its key; for the old id of a moved cart, returns the parts of the new id.
    ///
    /// With `endsMove`, the old id is not valid any more after this call. Pass false if the response does not contain the new id.
    func current(_ id: String, endsMove: Bool = true) -> (token: String, key: String?)? {
        guard let parts = Cart.parse(id) else { return nil }
        return faults.withLock { faults -> (token: String, key: String?) in
            guard let move = faults.moves[parts.token], move.oldKey == parts.key else { return parts }
            if endsMove { faults.moves[parts.token] = nil }
            return (move.token, move.key)
        }
    }

    func cart(token: String) -> Cart? {
        carts.withLock { $0[token] }
    }

    func takeCart(token: String) -> Bool {
        carts.withLock { $0.removeValue(forKey: token) } != nil
    }

    func save(_ cart: Cart) {
        carts.withLock { $0[cart.token] = cart }
    }

    /// Changes a cart, unless `body` throws an error; throws `missing` if the cart does not exist or the key is wrong.
    func changeCart<Value: Sendable>(
        _ parts: (token: String, key: String?)?,
        orThrow missing: UserError = .cartMissing,
        _ body: (inout Cart) throws(UserError) -> Value
    ) throws(UserError) -> Value {
        try carts.withLock { carts throws(UserError) in
            guard let parts, var cart = carts[parts.token], cart.key == parts.key else { throw missing }
            let value = try body(&cart)
            carts[parts.token] = cart
            return value
        }
    }

    /// Changes several carts, unless `body` throws an error.
    func changeCarts(_ body: (inout [String: Cart]) throws(UserError) -> Void) throws(UserError) {
        try carts.withLock { carts throws(UserError) in
            var changed = carts
            try body(&changed)
            carts = changed
        }
    }
}
