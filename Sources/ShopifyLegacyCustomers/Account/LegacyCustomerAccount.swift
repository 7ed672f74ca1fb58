public import IdentityKit
internal import ShopifyGraphQL
public import ShopifyStorefront

/// Legacy: what belongs to the buyer of a legacy session: profile, addresses, orders.
public struct LegacyCustomerAccount: Sendable {
    private let provider: LegacyPasswordProvider
    private let sessions: SessionManager
    private let session: SessionID
    private let context: StorefrontContext

    /// Legacy: names a session.
    ///
    /// - Parameters:
    ///   - session: A session of the provider.
    ///   - provider: The same value that the session manager has.
    ///   - sessions: What keeps the session.
    ///   - context: The buyer's IP, country and language.
    public init(
        of session: SessionID,
        provider: LegacyPasswordProvider,
        sessions: SessionManager,
        context: StorefrontContext = StorefrontContext()
    ) {
        self.provider = provider
        self.sessions = sessions
        self.session = session
        self.context = context
    }

    private func token() async throws -> Secret {
        let tokens = try await sessions.tokens(for: session)
        // Passwords' tokens go to the shop that they are from, and no other provider's token goes there.
        guard tokens.session.provider.isIdentical(to: provider.descriptor.name) else {
            throw IdentityError(
                .rejected,
                .unsupportedByProvider,
                "The session belongs to another provider.",
                hint: "Legacy customers need a session of LegacyPasswordProvider."
            )
        }
        return tokens.tokens.accessToken
    }

    private func execute<Operation: GraphQLOperation>(_ operation: Operation) async throws -> Operation.Output {
        try await provider.client.execute(operation, in: context).data
    }

    /// Legacy: the customer with addresses and the newest orders.
    ///
    /// - Parameters:
    ///   - addresses: How many addresses, at most 250; 50 unless given.
    ///   - orders: How many orders, at most 250; 20 unless given.
    ///   - cursor: Where the orders go on: the `endCursor` of the last answer.
    /// - Throws: `IdentityError`, of kind `IdentityError.Kind.signInAgain` for a token that Shopify does not know any more.
    public func customer(
        addresses: Int = 50,
        orders: Int = 20,
        after cursor: String? = nil
    ) async throws -> LegacyCustomerQuery.Customer {
        let operation = LegacyCustomerQuery(
            customerAccessToken: try await token(),
            firstAddresses: min(max(addresses, 1), 250),
            firstOrders: min(max(orders, 1), 250),
            afterOrder: .setIfPresent(cursor)
        )
        guard let customer = try await execute(operation) else { throw LegacyPasswordProvider.expired }
        return customer
    }

    /// Legacy: changes the customer: what is unset stays, null clears, a value sets.
    ///
    /// A new password makes Shopify revoke every token of the customer and give a new one, which takes the old one's place in the
    /// session before this returns; other sessions of the buyer end.
    ///
    /// - Throws: `IdentityError`; with `IdentityError.Code.legacyCustomerUserErrors` where Shopify refuses a value.
    @discardableResult
    public func update(_ input: LegacyCustomerUpdateInput) async throws -> LegacyCustomer {
        let current = try await token()
        let payload = try await execute(LegacyCustomerUpdate(customerAccessToken: current, customer: input))
        try LegacyCustomerUserErrors.check(payload.customerUserErrors)
        if let token = payload.customerAccessToken, !token.accessToken.isEqual(to: current) {
            let buyer = try await sessions.session(session).buyer
            provider.replacements.add(provider.tokens(token, of: buyer), for: current)
            _ = try await sessions.renewTokens(for: session)
        }
        guard let customer = payload.customer else { throw Self.empty }
        return customer
    }

    /// Legacy: adds an address.
    ///
    /// - Throws: `IdentityError`; with `IdentityError.Code.outcomeUnknown` look at the addresses before adding it again.
    @discardableResult
    public func add(_ address: LegacyCustomerAddressInput) async throws -> LegacyCustomerAddress {
        try checked(
            await execute(LegacyCustomerAddressCreate(customerAccessToken: try await token(), address: address))
        )
    }

    /// Legacy: changes an address: what is unset stays, null clears, a value sets.
    @discardableResult
    public func update(
        address id: String,
        _ address: LegacyCustomerAddressInput
    ) async throws -> LegacyCustomerAddress {
        try checked(
            await execute(
                LegacyCustomerAddressUpdate(customerAccessToken: try await token(), id: id, address: address)
            )
        )
    }

    /// Legacy: removes an address.
    public func remove(address id: String) async throws {
        let operation = LegacyCustomerAddressDelete(customerAccessToken: try await token(), id: id)
        try LegacyCustomerUserErrors.check(try await execute(operation).customerUserErrors)
    }

    /// Legacy: makes an address the default one.
    public func setDefaultAddress(_ id: String) async throws {
        let operation = LegacyCustomerDefaultAddressUpdate(customerAccessToken: try await token(), addressID: id)
        try LegacyCustomerUserErrors.check(try await execute(operation).customerUserErrors)
    }

    private func checked(_ payload: LegacyCustomerAddressPayload) throws(IdentityError) -> LegacyCustomerAddress {
        try LegacyCustomerUserErrors.check(payload.customerUserErrors)
        guard let address = payload.customerAddress else { throw Self.empty }
        return address
    }

    private static var empty: IdentityError {
        IdentityError(
            .rejected,
            .unexpectedResponse,
            "The Storefront API carried out a change and did not say what came of it.",
            hint: "Read the customer again."
        )
    }
}
