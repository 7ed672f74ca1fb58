public import IdentityHTTP
public import IdentityKit
internal import ShopifyGraphQL
public import ShopifyStorefront

extension LegacyPasswordProvider {
    /// Legacy: creates a customer; after that, sign the buyer in with the same password.
    ///
    /// - Returns: The customer's id; nil if Shopify returned no customer, for example because it has sent an activation e-mail.
    /// - Throws: `IdentityError`; with `IdentityError.Code.legacyCustomerUserErrors` when Shopify rejects a value. The code `TAKEN` means
    ///   that a customer already has this value, such as the e-mail address. Do not show this code to the buyer, because it reveals who is
    ///   a customer. For an e-mail address, call ``recover(email:in:)`` instead. With code `IdentityError.Code.outcomeUnknown`, and after a
    ///   cancellation, Shopify may have created the customer.
    @discardableResult
    public func create(
        _ customer: LegacyCustomerCreateInput,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> String? {
        let result = try await client.execute(LegacyCustomerCreate(input: customer), in: context)
        // CUSTOMER_DISABLED is no failure: the account is not activated yet, and Shopify has sent the activation e-mail.
        let errors = result.data.customerUserErrors.filter { $0.code != .customerDisabled }
        try LegacyCustomerUserErrors.check(errors, result.metadata)
        if result.data.customer == nil, result.data.customerUserErrors.isEmpty, !result.errors.isEmpty {
            throw client.failure(of: result, LegacyCustomerCreate.document)
        }
        return result.data.customer?.id
    }

    /// Legacy: makes Shopify send an e-mail with which the buyer can set a new password.
    ///
    /// The result is the same for addresses with and without an account, so that it does not reveal who is a customer.
    ///
    /// - Throws: `IdentityError`, for example for throttling, an outage or a missing scope. With code `IdentityError.Code.outcomeUnknown`,
    ///   and after a cancellation, Shopify may have sent the e-mail.
    public func recover(email: String, in context: StorefrontContext = StorefrontContext()) async throws {
        _ = try await client.execute(LegacyCustomerRecover(email: email), in: context)
    }

    /// Legacy: sets a new password with the complete URL in Shopify's e-mail, which can be used once, and signs the buyer in.
    ///
    /// - Throws: `IdentityError`.
    public func reset(
        url resetURL: HTTPURL,
        password: Secret,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> TokenSet {
        let url = try Self.scalar(resetURL)
        return try await tokens(from: LegacyCustomerResetByURL(resetURL: url, password: password), in: context)
    }

    /// Legacy: sets a new password with the token in Shopify's e-mail, and signs the buyer in.
    ///
    /// `customerID` is for example `gid://shopify/Customer/1`. `resetToken` is the last part of the URL in the e-mail; it can be used once.
    ///
    /// - Throws: `IdentityError`.
    public func reset(
        customer customerID: String,
        resetToken: Secret,
        password: Secret,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> TokenSet {
        let input = LegacyCustomerResetInput(password: password, resetToken: resetToken)
        return try await tokens(from: LegacyCustomerReset(id: customerID, input: input), in: context)
    }

    /// Legacy: activates an account with the URL in Shopify's e-mail, sets its password, and signs the buyer in.
    ///
    /// - Throws: `IdentityError`.
    public func activate(
        url activationURL: HTTPURL,
        password: Secret,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> TokenSet {
        let url = try Self.scalar(activationURL)
        return try await tokens(from: LegacyCustomerActivateByURL(activationURL: url, password: password), in: context)
    }

    /// Legacy: activates an account with the token in Shopify's e-mail, sets its password, and signs the buyer in.
    ///
    /// - Throws: `IdentityError`.
    public func activate(
        customer customerID: String,
        activationToken: Secret,
        password: Secret,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> TokenSet {
        let input = LegacyCustomerActivateInput(activationToken: activationToken, password: password)
        return try await tokens(from: LegacyCustomerActivate(id: customerID, input: input), in: context)
    }

    private static func scalar(_ url: HTTPURL) throws(IdentityError) -> ShopifyURL {
        guard let scalar = ShopifyURL(text: url.text) else {
            throw IdentityError(
                .rejected,
                .invalidRequest,
                "The URL that resets the password or activates the account is not valid.",
                hint: "Pass the URL from Shopify's e-mail unchanged.",
                reference: "Storefront API reference, customerActivateByUrl and customerResetByUrl"
            )
        }
        return scalar
    }
}
