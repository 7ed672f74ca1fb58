public import IdentityKit
internal import ShopifyGraphQL
public import ShopifyStorefront

/// Legacy: reads and changes the account of a session's buyer: profile, addresses and orders; all errors are `IdentityError`.
///
/// ```swift
/// let account = LegacyCustomerAccount(of: session.id, provider: legacy, sessions: sessions)
/// let customer = try await account.customer()
/// ```
public struct LegacyCustomerAccount: Sendable {
    private let provider: LegacyPasswordProvider
    private let sessions: SessionManager
    private let session: SessionID
    private let context: StorefrontContext

    /// Legacy: creates a value for the account of the session's buyer; it sends no request.
    ///
    /// Pass the provider value that was passed to the session manager. With another value, ``update(_:)`` cannot change the password.
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

    /// Runs a call with the session's tokens; if Shopify rejects the tokens and the session gets newer tokens, runs the call once more.
    private func withTokens<Value: Sendable>(_ call: (TokenSet) async throws -> Value) async throws -> Value {
        try await sessions.withAccessToken(of: session) { access in
            guard access.session.provider.isIdentical(to: provider.descriptor.name) else {
                throw IdentityError(
                    unsupported: "The session's provider is not the LegacyPasswordProvider of this account.",
                    hint: "Create LegacyCustomerAccount with a session of this LegacyPasswordProvider."
                )
            }
            try provider.checkIssuer(of: access.tokens)
            return try await call(access.tokens)
        }
    }

    /// Legacy: the customer with addresses and the newest orders.
    ///
    /// The numbers of addresses and orders are clamped to 1 to 250. For the next orders, pass the `endCursor` of the orders in
    /// the last response as `after`.
    ///
    /// - Throws: `IdentityError`, of kind `IdentityError.Kind.signInAgain` when Shopify rejects the session's token and also its refresh.
    public func customer(
        addresses: Int = 50,
        orders: Int = 20,
        after cursor: String? = nil
    ) async throws -> LegacyCustomerQuery.Customer {
        try await withTokens { tokens in
            let operation = LegacyCustomerQuery(
                customerAccessToken: tokens.accessToken,
                firstAddresses: min(max(addresses, 1), 250),
                firstOrders: min(max(orders, 1), 250),
                afterOrder: .setIfPresent(cursor)
            )
            let customer = try await provider.client.execute(operation, in: context).data
            guard let customer else { throw LegacyPasswordProvider.refused }
            return customer
        }
    }

    /// Legacy: changes the customer.
    ///
    /// A field that is not set stays unchanged, null removes its value, and a value replaces it.
    ///
    /// If `input` has a new password, Shopify revokes all tokens of the customer, also those of the buyer's other sessions, and returns a
    /// new token. A refresh of this session sends such a change, and saves the new token.
    ///
    /// - Throws: `IdentityError`; with `IdentityError.Code.legacyCustomerUserErrors` when Shopify rejects a value. With
    ///   `IdentityError.Code.outcomeUnknown` Shopify may have changed the customer. If it changed the password and the response was lost,
    ///   this session ends, and the buyer must sign in again.
    @discardableResult
    public func update(_ input: LegacyCustomerUpdateInput) async throws -> LegacyCustomer {
        if case .set = input.password { return try await changePassword(input) }
        return try await change(returning: \.customer) {
            LegacyCustomerUpdate(customerAccessToken: $0, customer: input)
        }
    }

    /// Lets a refresh of the session send the change; see ``PasswordChanges``.
    private func changePassword(_ input: LegacyCustomerUpdateInput) async throws -> LegacyCustomer {
        var token = try await withTokens { $0.accessToken }
        for _ in 0..<3 {
            let operation = LegacyCustomerUpdate(customerAccessToken: token, customer: input)
            let change = PasswordChanges.Change(operation, in: context)
            provider.passwordChanges.add(change)
            var failure: (any Error)?
            do { token = try await sessions.refreshTokens(for: session).tokens.accessToken } catch { failure = error }
            switch provider.passwordChanges.remove(change) {
            case .finished(let result): return try checked(result.get(), LegacyCustomerUpdate.document, \.customer)
            // No refresh sent the change, or Shopify did not accept the change's token, for example because another refresh has
            // replaced this token. If the refresh did not fail, the next round tries the change with the session's current token.
            case .notExecuted: if let failure { throw failure }
            // The caller was cancelled or waited too long. The refresh that sends the change continues.
            case .sent:
                throw IdentityError(
                    .retryLater,
                    .outcomeUnknown,
                    "The call ended before Shopify responded to the password change, so the password may have been changed.",
                    hint:
                        "Wait 10 seconds, because the change may still be in progress. Then let the buyer sign in with the new password, "
                        + "and with the new e-mail address if this call was to change it. If Shopify rejects that sign-in, let the buyer "
                        + "sign in with the old password and e-mail address.",
                    reference: "Storefront API reference, customerUpdate",
                    cause: failure
                )
            }
        }
        throw IdentityError(
            .retryLater,
            .refreshBusy,
            "The password was not changed. A refresh of the session must send the change, but three refreshes ended without the change.",
            hint:
                "Try again. If the error persists, create LegacyCustomerAccount with the LegacyPasswordProvider that is registered in "
                + "the session manager.",
            reference: "Storefront API reference, customerUpdate"
        )
    }

    /// Legacy: adds an address.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.outcomeUnknown` when Shopify may have added the address. In this case check
    ///   the addresses before you add the address again.
    @discardableResult
    public func add(_ address: LegacyCustomerAddressInput) async throws -> LegacyCustomerAddress {
        try await change(returning: \.customerAddress) {
            LegacyCustomerAddressCreate(customerAccessToken: $0, address: address)
        }
    }

    /// Legacy: changes an address; a field that is not set stays unchanged, and null removes its value.
    @discardableResult
    public func update(
        address id: String,
        _ address: LegacyCustomerAddressInput
    ) async throws -> LegacyCustomerAddress {
        try await change(returning: \.customerAddress) {
            LegacyCustomerAddressUpdate(customerAccessToken: $0, id: id, address: address)
        }
    }

    /// Legacy: removes an address.
    ///
    /// - Throws: `IdentityError`; with code `IdentityError.Code.outcomeUnknown` when no usable response arrived. The request is not
    ///   repeated, because Shopify would reject it if the first request has removed the address.
    public func remove(address id: String) async throws {
        _ = try await change(returning: \.deletedCustomerAddressID) {
            LegacyCustomerAddressDelete(customerAccessToken: $0, id: id)
        }
    }

    /// Legacy: makes an address the default address.
    public func setDefaultAddress(_ id: String) async throws {
        _ = try await change(returning: \.customer) {
            LegacyCustomerDefaultAddressUpdate(customerAccessToken: $0, addressID: id)
        }
    }

    private func change<Operation: GraphQLOperation, Value: Sendable>(
        returning value: (Operation.Output) -> Value?,
        _ operation: (_ token: Secret) -> Operation
    ) async throws -> Value where Operation.Output: LegacyCustomerPayload {
        try await withTokens { tokens in
            let result = try await provider.client.execute(operation(tokens.accessToken), in: context)
            return try checked(result, Operation.document, value)
        }
    }

    private func checked<Payload: LegacyCustomerPayload, Value>(
        _ result: StorefrontResult<Payload>,
        _ document: GraphQLDocument,
        _ value: (Payload) -> Value?
    ) throws(IdentityError) -> Value {
        let errors = result.data.customerUserErrors
        // With this code Shopify did not execute the change, so withTokens may repeat it with a newer token.
        guard !errors.contains(where: { $0.code == .tokenInvalid }) else { throw LegacyPasswordProvider.refused }
        try LegacyCustomerUserErrors.check(errors, result.metadata)
        if let value = value(result.data) { return value }
        guard result.errors.isEmpty else { throw provider.client.failure(of: result, document) }
        throw IdentityError(
            .rejected,
            .unexpectedResponse,
            "The Storefront API's response to a mutation contains no result and no error.",
            hint: "Read the customer to check whether Shopify executed the mutation.",
            providerResponse: IdentityError.ProviderResponse(result.metadata)
        )
    }
}

private protocol LegacyCustomerPayload: Sendable {
    var customerUserErrors: [LegacyCustomerUserError] { get }
}

extension LegacyCustomerUpdate.CustomerUpdate: LegacyCustomerPayload {}
extension LegacyCustomerAddressPayload: LegacyCustomerPayload {}
extension LegacyCustomerAddressDelete.CustomerAddressDelete: LegacyCustomerPayload {}
extension LegacyCustomerDefaultAddressUpdate.CustomerDefaultAddressUpdate: LegacyCustomerPayload {}
