public import IdentityKit
public import ShopifyGraphQL

/// What belongs to the buyer of a session: profile, addresses, orders.
///
/// Every call takes a token that is good, and renews it once where Shopify refuses it.
public struct CustomerAccount: Sendable {
    private let client: CustomerAccountClient
    private let sessions: SessionManager
    private let session: SessionID
    private let context: CustomerAccountContext

    /// Names a session.
    ///
    /// - Parameters:
    ///   - session: A session of a Shopify provider; others have no customer token, and every call says so.
    ///   - client: The client of the shop that the session belongs to.
    ///   - sessions: What keeps the session.
    ///   - context: Language and country; the shop's own unless given.
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

    /// Carries out an operation of one's own.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.unsupportedByProvider` where the session's provider gives no customer
    ///   token.
    public func execute<Operation: GraphQLOperation>(
        _ operation: Operation
    ) async throws -> GraphQLResult<Operation.Output> {
        do {
            return try await client.execute(operation, as: try await token(), in: context)
        } catch let error as IdentityError where error.code == .accessTokenRefused && error.kind == .retryLater {
            // A token may be refused before its time; a newer one helps unless the fault is the app's.
            _ = try await sessions.renewTokens(for: session)
            return try await client.execute(operation, as: try await token(), in: context)
        }
    }

    private func token() async throws -> CustomerAccessToken {
        guard case .customer(let token) = try await sessions.cartClaim(for: session).claim else {
            throw IdentityError(
                .rejected,
                .unsupportedByProvider,
                "The session's provider gives no Shopify customer token.",
                hint: "Customer accounts need a session of a Shopify provider."
            )
        }
        return token
    }

    // MARK: Profile

    /// Who the buyer is; fields of protected data are nil without Shopify's approval.
    public func profile() async throws -> CustomerProfile {
        try await execute(CustomerProfileQuery()).data
    }

    /// Changes the profile: what is unset stays, null clears, a value sets.
    ///
    /// - Returns: The profile as it is now.
    /// - Throws: `IdentityError`; with `IdentityError.Code.customerUserErrors` where Shopify refuses a value.
    @discardableResult
    public func update(_ input: CustomerProfileInput) async throws -> CustomerProfile {
        let payload = try await execute(CustomerUpdate(input: input)).data
        try CustomerUserErrors.check(
            payload.userErrors.map { .init(code: $0.code?.rawValue, field: $0.field ?? [], message: $0.message) }
        )
        guard let customer = payload.customer else { throw Self.empty }
        return customer
    }

    // MARK: Addresses

    /// The buyer's addresses, the default one first.
    ///
    /// - Parameter pageSize: 1 to 250; 50 unless given.
    public func addresses(pageSize: Int = 50) -> CustomerPages<CustomerPostalAddress> {
        CustomerPages { cursor in
            let customer = try await execute(
                CustomerAddressesQuery(first: Self.size(pageSize), after: .setIfPresent(cursor))
            ).data
            let connection = customer.addresses
            return CustomerPages.Page(
                elements: connection.nodes,
                next: connection.pageInfo.hasNextPage ? connection.pageInfo.endCursor : nil
            )
        }
    }

    /// Adds an address.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - isDefault: Whether it becomes the default address; not unless given.
    /// - Throws: `IdentityError`; with `IdentityError.Code.outcomeUnknown` look at ``addresses(pageSize:)`` before adding it again.
    public func add(_ address: CustomerAddressInput, isDefault: Bool = false) async throws -> CustomerPostalAddress {
        try checked(
            await execute(CustomerAddressCreate(address: address, defaultAddress: .set(isDefault))).data
        )
    }

    /// Changes an address: what is unset stays, null clears, a value sets.
    ///
    /// - Parameters:
    ///   - id: The address.
    ///   - address: What changes.
    ///   - isDefault: Whether it becomes the default address; it stays what it is unless given.
    @discardableResult
    public func update(
        address id: String,
        _ address: CustomerAddressInput,
        isDefault: Bool? = nil
    ) async throws -> CustomerPostalAddress {
        try checked(
            await execute(
                CustomerAddressUpdate(addressID: id, address: .set(address), defaultAddress: .setIfPresent(isDefault))
            ).data
        )
    }

    /// Makes an address the default one.
    @discardableResult
    public func setDefaultAddress(_ id: String) async throws -> CustomerPostalAddress {
        try checked(await execute(CustomerAddressUpdate(addressID: id, defaultAddress: .set(true))).data)
    }

    /// Removes an address.
    public func remove(address id: String) async throws {
        let payload = try await execute(CustomerAddressDelete(addressID: id)).data
        try CustomerUserErrors.check(payload.userErrors.map(\.entry))
    }

    private func checked(
        _ payload: CustomerAddressPayload
    ) throws(IdentityError) -> CustomerPostalAddress {
        try CustomerUserErrors.check(payload.userErrors.map(\.entry))
        guard let address = payload.customerAddress else { throw Self.empty }
        return address
    }

    // MARK: Orders

    /// The buyer's orders, the newest first.
    ///
    /// - Parameters:
    ///   - pageSize: 1 to 250; 20 unless given.
    ///   - query: A filter in Shopify's search syntax, for example `processed_at:>2026-01-01`.
    public func orders(pageSize: Int = 20, matching query: String? = nil) -> CustomerPages<CustomerOrder> {
        CustomerPages { cursor in
            let orders = try await execute(
                CustomerOrdersQuery(
                    first: Self.size(pageSize),
                    after: .setIfPresent(cursor),
                    query: .setIfPresent(query)
                )
            ).data.orders
            return CustomerPages.Page(
                elements: orders.nodes,
                next: orders.pageInfo.hasNextPage ? orders.pageInfo.endCursor : nil
            )
        }
    }

    /// One order with its address and up to 250 lines; nil where the buyer has none of that id.
    public func order(_ id: String) async throws -> CustomerOrderQuery.Order? {
        try await execute(CustomerOrderQuery(id: id, firstLines: 250)).data
    }

    private static func size(_ size: Int) -> Int { min(max(size, 1), 250) }

    private static var empty: IdentityError {
        IdentityError(
            .rejected,
            .unexpectedResponse,
            "The Customer Account API carried out a change and did not say what came of it.",
            hint: "Read the customer again."
        )
    }
}

extension CustomerAddressUserError {
    var entry: CustomerUserErrors.Entry {
        .init(code: code?.rawValue, field: field ?? [], message: message)
    }
}
