internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySandbox
internal import Synchronization

/// The customers of the sandbox's Customer Account API, with their orders and their Storefront customer access tokens.
public final class SandboxCustomers: Sendable {
    private struct State {
        /// The Customer Account access tokens, by the Storefront tokens that were issued in exchange for them.
        var exchangedTokens: [String: String] = [:]
        /// The customers that have changed since the start, by their numbers.
        var records: [Int: CustomerRecord] = [:]
        var lastOrder = 5_000
    }

    let shopify: SandboxShopify
    private let state = Mutex(State())

    init(_ shopify: SandboxShopify) {
        self.shopify = shopify
    }

    /// Returns the buyer of a cart's customer access token; nil if a cart must reject the token.
    ///
    /// A cart accepts a Storefront token that was issued in exchange for a Customer Account access token, as long as that access token is
    /// valid. If `takesAccountTokens` is true, a cart also accepts a Customer Account access token.
    func buyer(forCartToken token: String, takesAccountTokens: Bool) -> KnownBuyer? {
        let origin = state.withLock { $0.exchangedTokens[token] }
        if let origin { return shopify.buyer(forAccessToken: origin) }
        return takesAccountTokens ? shopify.buyer(forAccessToken: token) : nil
    }

    /// Issues a Storefront token in exchange for a Customer Account access token.
    func exchange(_ accessToken: String) -> String {
        let token = RandomText.hexadecimal(32)
        state.withLock { $0.exchangedTokens[token] = accessToken }
        return token
    }

    /// Adds an order of two mugs for each order number; an unknown e-mail address creates a buyer.
    public func addOrders(_ numbers: some Sequence<Int>, for email: String) {
        let buyer = shopify.directory.buyer(email: email)
        let orders = numbers.map { CustomerOrderRecord.sample($0) }
        change(buyer) { $0.orders += orders }
    }

    package static let financialStatuses = [
        "PENDING", "AUTHORIZED", "PARTIALLY_PAID", "PARTIALLY_REFUNDED", "VOIDED", "PAID", "REFUNDED", "EXPIRED",
    ]
    package static let fulfillmentStatuses = [
        "UNFULFILLED", "PARTIALLY_FULFILLED", "FULFILLED", "RESTOCKED", "PENDING_FULFILLMENT", "OPEN", "IN_PROGRESS",
        "ON_HOLD", "SCHEDULED",
    ]

    /// Changes a customer's order; a nil argument keeps the present value.
    ///
    /// If the customer has no order with this number, an order of two mugs is added first. The statuses must be elements of
    /// ``financialStatuses`` and ``fulfillmentStatuses``.
    package func setOrder(
        _ number: Int,
        for email: String,
        financialStatus: String? = nil,
        fulfillmentStatus: String? = nil,
        isCancelled: Bool? = nil
    ) {
        let buyer = shopify.directory.buyer(email: email)
        let now = shopify.clock.now.formatted(Date.ISO8601FormatStyle())
        change(buyer) { record in
            let known = record.orders.firstIndex { $0.number == number }
            var order = known.map { record.orders[$0] } ?? .sample(number)
            order.financialStatus = financialStatus ?? order.financialStatus
            order.fulfillmentStatus = fulfillmentStatus ?? order.fulfillmentStatus
            if let isCancelled { order.cancelledAt = isCancelled ? now : nil }
            if let known { record.orders[known] = order } else { record.orders.append(order) }
        }
    }

    /// Gives an order of the checkout its number, and returns the number; if `buyer` is nil, the order is not stored.
    func place(_ order: CustomerOrderRecord, for buyer: KnownBuyer?) -> Int {
        state.withLock { state in
            state.lastOrder += 1
            var order = order
            order.number = state.lastOrder
            if let buyer {
                state.records[buyer.number, default: CustomerRecord(buyer.account)].orders.append(order)
            }
            return order.number
        }
    }

    func record(of buyer: KnownBuyer) -> CustomerRecord {
        state.withLock { $0.records[buyer.number] } ?? CustomerRecord(buyer.account)
    }

    /// Changes a customer; if `body` throws an error, the customer stays unchanged.
    private func change<Value: Sendable, Failure: Error>(
        _ buyer: KnownBuyer,
        _ body: (inout CustomerRecord) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try state.withLock { state throws(Failure) in
            var record = state.records[buyer.number] ?? CustomerRecord(buyer.account)
            let value = try body(&record)
            state.records[buyer.number] = record
            return value
        }
    }

    func customerMutations(_ buyer: KnownBuyer) -> [String: GraphExecutor.Mutation] {
        Self.changes(of: buyer).mapValues { body in
            { [self] call in try change(buyer) { try body(&$0, call.arguments) } }
        }
    }

    private static func changes(
        of buyer: KnownBuyer
    ) -> [String: @Sendable (inout CustomerRecord, JSONObject) throws -> [String: GraphNode]] {
        [
            "customerUpdate": { record, arguments in
                try record.update(arguments.object("input"))
                return ["customer": SandboxCustomerAccountAPI.customer(buyer, record)]
            },
            "customerAddressCreate": { record, arguments in
                let isDefault = arguments["defaultAddress"]?.bool ?? false
                let address = try record.addAddress(arguments.object("address"), isDefault: isDefault)
                return ["customerAddress": record.node(of: address)]
            },
            "customerAddressUpdate": { record, arguments in
                let (id, isDefault) = (arguments.text("addressId"), arguments["defaultAddress"]?.bool)
                let address = try record.updateAddress(id, arguments["address"]?.object, isDefault: isDefault)
                return ["customerAddress": record.node(of: address)]
            },
            "customerAddressDelete": { record, arguments in
                let id = arguments.text("addressId")
                try record.removeAddress(id)
                return ["deletedAddressId": .text(id)]
            },
        ]
    }
}
