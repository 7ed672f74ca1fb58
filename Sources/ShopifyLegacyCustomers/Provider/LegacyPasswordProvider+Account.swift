public import IdentityHTTP
public import IdentityKit
internal import ShopifyGraphQL
public import ShopifyStorefront

extension LegacyPasswordProvider {
    /// Legacy: creates a customer; the buyer then signs in with the same password.
    ///
    /// - Returns: The customer's id; nil where Shopify has sent an activation e-mail instead.
    /// - Throws: `IdentityError`; with `IdentityError.Code.legacyCustomerUserErrors`, among them `TAKEN` for an address that
    ///   has an account. Showing that to anybody tells who is a customer: answer with ``recover(email:in:)`` instead.
    @discardableResult
    public func create(
        _ customer: LegacyCustomerCreateInput,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> String? {
        let payload = try await client.execute(LegacyCustomerCreate(input: customer), in: context).data
        // Where an account waits for its activation, Shopify says CUSTOMER_DISABLED, and that it has sent an e-mail.
        let errors = payload.customerUserErrors.filter { $0.code != .customerDisabled }
        try LegacyCustomerUserErrors.check(errors)
        return payload.customer?.id
    }

    /// Legacy: lets Shopify send an e-mail by which the buyer can set a new password.
    ///
    /// Ends alike for addresses that have an account and for those that have none, so that nobody learns who is a customer.
    ///
    /// - Throws: `IdentityError` where Shopify did not take the request: throttled, an outage, a missing scope.
    public func recover(email: String, in context: StorefrontContext = StorefrontContext()) async throws {
        _ = try await client.execute(LegacyCustomerRecover(email: email), in: context)
    }

    /// Legacy: sets a new password with the URL out of Shopify's e-mail, and signs the buyer in.
    ///
    /// - Parameters:
    ///   - resetURL: The whole URL; it is good once.
    ///   - password: The new password.
    ///   - context: The buyer's IP.
    public func reset(
        url resetURL: HTTPURL,
        password: Secret,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> TokenSet {
        let url = try Self.scalar(resetURL)
        let operation = LegacyCustomerResetByURL(resetURL: url, password: password)
        return try await tokens(client.execute(operation, in: context).data, context)
    }

    /// Legacy: sets a new password with the token out of Shopify's e-mail, and signs the buyer in.
    ///
    /// - Parameters:
    ///   - customerID: The customer's id, `gid://shopify/Customer/…`.
    ///   - resetToken: The last part of the URL in the e-mail; it is good once.
    ///   - password: The new password.
    ///   - context: The buyer's IP.
    public func reset(
        customer customerID: String,
        resetToken: Secret,
        password: Secret,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> TokenSet {
        let input = LegacyCustomerResetInput(password: password, resetToken: resetToken)
        return try await tokens(
            client.execute(LegacyCustomerReset(id: customerID, input: input), in: context).data,
            context
        )
    }

    /// Legacy: activates an account with the URL out of Shopify's e-mail, sets its password, and signs the buyer in.
    public func activate(
        url activationURL: HTTPURL,
        password: Secret,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> TokenSet {
        let url = try Self.scalar(activationURL)
        let operation = LegacyCustomerActivateByURL(activationURL: url, password: password)
        return try await tokens(client.execute(operation, in: context).data, context)
    }

    /// Legacy: activates an account with the token out of Shopify's e-mail, sets its password, and signs the buyer in.
    public func activate(
        customer customerID: String,
        activationToken: Secret,
        password: Secret,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> TokenSet {
        let input = LegacyCustomerActivateInput(activationToken: activationToken, password: password)
        return try await tokens(
            client.execute(LegacyCustomerActivate(id: customerID, input: input), in: context).data,
            context
        )
    }

    private static func scalar(_ url: HTTPURL) throws(IdentityError) -> ShopifyURL {
        guard let scalar = ShopifyURL(text: url.text) else {
            throw IdentityError(.rejected, .invalidRequest, "The URL is none.", hint: "Pass it as the e-mail has it.")
        }
        return scalar
    }
}
