public import IdentityKit
public import ShopifyGraphQL

/// The customer account of a session's buyer: profile, addresses, orders.
///
/// ```swift
/// let account = CustomerAccount(of: session.id, client: client, sessions: sessions)
/// let profile = try await account.profile()
/// ```
///
/// Each call of the API uses the session's access token. If Shopify rejects the token and the session can get a newer token, the call is
/// repeated once. All errors are `IdentityError`.
public struct CustomerAccount: Sendable {
    private let client: CustomerAccountClient
    private let sessions: SessionManager
    private let session: SessionID
    private let context: CustomerAccountContext

    /// Creates the account of a session.
    ///
    /// Pass a session of `ShopifyProvider`. With a session whose provider issues no token of this API, every call fails.
    public init(
        of session: SessionID,
        client: CustomerAccountClient,
        sessions: SessionManager,
        context: CustomerAccountContext = CustomerAccountContext()
    ) {
        self.client = client
        self.sessions = sessions
        self.session = session
        self.context = context
    }

    /// Executes an operation that the app defines.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.unsupportedByProvider` when the session's provider issues no
    ///   token of the Customer Account API.
    public func execute<Operation: GraphQLOperation>(
        _ operation: Operation
    ) async throws -> GraphQLResult<Operation.Output> {
        try await withToken { try await client.execute(operation, as: $0, in: context) }
    }

    private func change<Operation: GraphQLOperation, Value: Sendable>(
        _ operation: Operation,
        returning value: (Operation.Output) -> Value?
    ) async throws -> Value where Operation.Output: CustomerPayload {
        try await withToken { try await client.change(operation, as: $0, in: context, returning: value) }
    }

    private func withToken<Value: Sendable>(
        _ call: (CustomerAccessToken) async throws -> Value
    ) async throws -> Value {
        try await sessions.withAccessToken(of: session) { access in
            guard case .customer(let token) = try await access.cartClaim() else {
                throw IdentityError(
                    unsupported: "The provider of this session issues no Shopify customer token.",
                    hint: "Create CustomerAccount with a session of ShopifyProvider."
                )
            }
            return try await call(token)
        }
    }

    // MARK: Profile

    /// The buyer's profile; first name, last name and contact data are nil if Shopify has not approved the app for protected customer data.
    public func profile() async throws -> CustomerProfile {
        try await execute(CustomerProfileQuery()).data
    }

    /// Changes the profile.
    ///
    /// An unset field keeps its value, an explicit null clears the value, and a set field gets the new value.
    ///
    /// - Returns: The changed profile.
    /// - Throws: `IdentityError`; with `IdentityError.Code.customerUserErrors` when Shopify rejects a value.
    @discardableResult
    public func update(_ input: CustomerProfileInput) async throws -> CustomerProfile {
        try await change(CustomerUpdate(input: input), returning: \.customer)
    }

    // MARK: Addresses

    /// The buyer's addresses, in Shopify's order (``profile()`` contains the default address); `pageSize` is clamped to 1 to 250.
    public func addresses(pageSize: Int = 50) -> CustomerPages<CustomerPostalAddress> {
        CustomerPages(size: Self.size(pageSize)) { size, cursor in
            let customer = try await execute(
                CustomerAddressesQuery(first: size, after: .setIfPresent(cursor))
            ).data
            return CustomerPages.Page(elements: customer.addresses.nodes, info: customer.addresses.pageInfo)
        }
    }

    /// Adds an address.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.outcomeUnknown` when Shopify may have added the address. In this case check
    ///   ``addresses(pageSize:)`` before you add the address again.
    public func add(_ address: CustomerAddressInput, isDefault: Bool = false) async throws -> CustomerPostalAddress {
        try await change(
            CustomerAddressCreate(address: address, defaultAddress: .set(isDefault)),
            returning: \.customerAddress
        )
    }

    /// Changes an address.
    ///
    /// An unset field keeps its value, an explicit null clears the value, and a set field gets the new value. With a nil `isDefault`, the
    /// default address stays.
    ///
    /// - Throws: `IdentityError`.
    @discardableResult
    public func update(
        address id: String,
        _ address: CustomerAddressInput,
        isDefault: Bool? = nil
    ) async throws -> CustomerPostalAddress {
        try await change(
            CustomerAddressUpdate(addressID: id, address: .set(address), defaultAddress: .setIfPresent(isDefault)),
            returning: \.customerAddress
        )
    }

    /// Makes an address the buyer's default address.
    @discardableResult
    public func setDefaultAddress(_ id: String) async throws -> CustomerPostalAddress {
        try await change(
            CustomerAddressUpdate(addressID: id, defaultAddress: .set(true)),
            returning: \.customerAddress
        )
    }

    /// Removes an address.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.outcomeUnknown` when no usable response arrived. The request is not
    ///   repeated, because Shopify would reject it if the first request has removed the address.
    public func remove(address id: String) async throws {
        _ = try await change(CustomerAddressDelete(addressID: id), returning: \.deletedAddressID)
    }

    // MARK: Orders

    /// The buyer's orders, the newest first.
    ///
    /// `pageSize` is clamped to 1 to 250. `query` is a filter in Shopify's search syntax, for example `processed_at:>2026-01-01`.
    public func orders(pageSize: Int = 20, matching query: String? = nil) -> CustomerPages<CustomerOrder> {
        CustomerPages(size: Self.size(pageSize)) { size, cursor in
            let orders = try await execute(
                CustomerOrdersQuery(
                    first: size,
                    after: .setIfPresent(cursor),
                    query: .setIfPresent(query)
                )
            ).data.orders
            return CustomerPages.Page(elements: orders.nodes, info: orders.pageInfo)
        }
    }

    /// An order with its shipping address and its first 250 lines; nil when the buyer has no order with that id.
    public func order(_ id: String) async throws -> CustomerOrderQuery.Order? {
        try await execute(CustomerOrderQuery(id: id, firstLines: 250)).data
    }

    private static func size(_ size: Int) -> Int { min(max(size, 1), 250) }
}
