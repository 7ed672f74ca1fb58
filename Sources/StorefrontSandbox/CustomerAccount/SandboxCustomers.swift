internal import IdentityKit
internal import IdentitySandbox
internal import Synchronization

/// The customers behind the sandbox's Customer Account API: their changes, their orders, and the Storefront tokens that they got in
/// exchange for access tokens.
public final class SandboxCustomers: Sendable {
    private struct State {
        /// Storefront tokens and the access tokens that they were exchanged for.
        var exchangedTokens: [String: String] = [:]
        /// The customers that have changed something, by their numbers.
        var records: [Int: CustomerRecord] = [:]
    }

    let shopify: SandboxShopify
    private let state = Mutex(State())

    init(_ shopify: SandboxShopify) {
        self.shopify = shopify
    }

    /// The buyer for whom a cart accepts a token: an access token, or a token that was exchanged for one and expires with it.
    func buyer(forCartToken token: String, takesAccountTokens: Bool) -> KnownBuyer? {
        let origin = state.withLock { $0.exchangedTokens[token] }
        if let origin { return shopify.buyer(forAccessToken: origin) }
        return takesAccountTokens ? shopify.buyer(forAccessToken: token) : nil
    }

    /// A Storefront token in exchange for an access token.
    func exchange(_ accessToken: String) -> String {
        let token = RandomText.hexadecimal(32)
        state.withLock { $0.exchangedTokens[token] = accessToken }
        return token
    }

    /// Gives a customer orders with these numbers, the newest last.
    public func addOrders(_ numbers: some Sequence<Int>, for email: String) {
        let buyer = shopify.directory.buyer(email: email)
        state.withLock { $0.records[buyer.number, default: CustomerRecord(buyer.account)].orders += Array(numbers) }
    }

    func record(of buyer: KnownBuyer) -> CustomerRecord {
        state.withLock { $0.records[buyer.number] } ?? CustomerRecord(buyer.account)
    }

    /// Changes a customer, all or nothing.
    private func change<Value>(
        _ buyer: KnownBuyer,
        _ body: (inout CustomerRecord) throws(CustomerRecord.Refusal) -> Value
    ) -> Result<(Value, CustomerRecord), CustomerRecord.Refusal> {
        state.withLock { state in
            var record = state.records[buyer.number] ?? CustomerRecord(buyer.account)
            do throws(CustomerRecord.Refusal) {
                let value = try body(&record)
                state.records[buyer.number] = record
                return .success((value, record))
            } catch {
                return .failure(error)
            }
        }
    }

    private static func payload(
        _ type: String,
        _ field: String,
        _ errorType: String,
        _ result: Result<GraphNode, CustomerRecord.Refusal>
    ) -> GraphNode {
        switch result {
        case .success(let node): .object(type, [field: node, "userErrors": .list([])])
        case .failure(let refusal): .object(type, [field: .null, "userErrors": .list([refusal.node(errorType)])])
        }
    }

    func customerMutations(_ buyer: KnownBuyer) -> [String: GraphExecutor.Resolver] {
        let addressErrors = "UserErrorsCustomerAddressUserErrors"
        return [
            "customerUpdate": { [self] call in
                let result = change(buyer) { record throws(CustomerRecord.Refusal) in
                    try record.update(call.arguments["input"]?.object ?? [:])
                }
                return Self.payload(
                    "CustomerUpdatePayload",
                    "customer",
                    "UserErrorsCustomerUserErrors",
                    result.map { CustomerAccountAPI.customer(buyer, $0.1) }
                )
            },
            "customerAddressCreate": { [self] call in
                let result = change(buyer) { record throws(CustomerRecord.Refusal) in
                    try record.addAddress(
                        call.arguments["address"]?.object ?? [:],
                        isDefault: call.arguments["defaultAddress"]?.bool ?? false
                    )
                }
                let node = result.map { $0.1.node(of: $0.0) }
                return Self.payload("CustomerAddressCreatePayload", "customerAddress", addressErrors, node)
            },
            "customerAddressUpdate": { [self] call in
                let result = change(buyer) { record throws(CustomerRecord.Refusal) in
                    try record.updateAddress(
                        call.arguments["addressId"]?.string ?? "",
                        call.arguments["address"]?.object,
                        isDefault: call.arguments["defaultAddress"]?.bool
                    )
                }
                let node = result.map { $0.1.node(of: $0.0) }
                return Self.payload("CustomerAddressUpdatePayload", "customerAddress", addressErrors, node)
            },
            "customerAddressDelete": { [self] call in
                let id = call.arguments["addressId"]?.string ?? ""
                let result = change(buyer) { record throws(CustomerRecord.Refusal) in try record.removeAddress(id) }
                let node = result.map { _ in GraphNode.text(id) }
                return Self.payload("CustomerAddressDeletePayload", "deletedAddressId", addressErrors, node)
            },
        ]
    }
}
