public import IdentityHTTP
public import IdentityKit
internal import ShopifyGraphQL
public import ShopifyStorefront

/// Legacy: signs in customers of legacy accounts with e-mail address and password, through the Storefront API.
///
/// Shopify has deprecated legacy customer accounts, and new shops do not have them. Use `ShopifyProvider` if you can. There is no login
/// page: the app asks for the password itself, calls ``signIn(email:password:in:)``, and stores the tokens with
/// `SessionManager.establish(_:provider:)`.
///
/// ```swift
/// let legacy = LegacyPasswordProvider(client: storefront, environment: environment)
/// let tokens = try await legacy.signIn(email: email, password: password, in: StorefrontContext(buyerIP: ip))
/// let session = try await sessions.establish(tokens, provider: legacy.descriptor.name)
/// ```
///
/// Pass the buyer's IP in the context of every call, because Shopify throttles requests by the buyer's IP.
public struct LegacyPasswordProvider: IdentityProvider, BuyerProfileProviding, CartClaimProviding, TokenRevoking {
    /// The provider's description for the app: its name, kind and other settings.
    public let descriptor: ProviderDescriptor
    let client: StorefrontClient
    let environment: IdentityEnvironment
    let issuer: String
    let passwordChanges = PasswordChanges()

    /// Creates a provider without a network request.
    ///
    /// The Storefront token of `client` needs `unauthenticated_read_customers` and `unauthenticated_write_customers`. `name` is the
    /// provider's name in the app. `environment` must be the environment of `client`.
    public init(
        name: String = "legacy",
        client: StorefrontClient,
        environment: IdentityEnvironment,
        tenant: String = ""
    ) {
        let domain = client.configuration.shopDomain
        descriptor = ProviderDescriptor(
            name: name,
            kind: "shopify-legacy",
            clientID: domain,
            tenant: tenant,
            clientType: "legacy customer accounts",
            // A refresh must end while the session's lock is held. PostgresStore guarantees a lock for 8 seconds by default.
            timeout: min(client.configuration.timeout, .seconds(8))
        )
        self.client = client
        self.environment = environment
        issuer = "https://\(domain)/account"
    }

    // MARK: Signing in

    /// Legacy: signs a buyer in with e-mail address and password.
    ///
    /// - Returns: Tokens for `SessionManager.establish(_:provider:)`.
    /// - Throws: `IdentityError`; with `IdentityError.Code.passwordRefused` when the address or the password is wrong, and with
    ///   `IdentityError.Code.legacyCustomerUserErrors` when Shopify rejects the sign-in for another reason.
    public func signIn(
        email: String,
        password: Secret,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> TokenSet {
        let operation = LegacyCustomerTokenCreate(input: LegacyCustomerTokenInput(email: email, password: password))
        let result = try await client.execute(operation, in: context)
        if result.data.customerUserErrors.contains(where: { $0.code == .unidentifiedCustomer }) {
            throw IdentityError(
                .rejected,
                .passwordRefused,
                "Shopify has no customer with this e-mail address and password.",
                hint:
                    "Let the buyer try again or set a new password. Do not tell the buyer whether the e-mail address exists.",
                reference: "Storefront API reference, customerAccessTokenCreate"
            )
        }
        return try await tokens(result, LegacyCustomerTokenCreate.document, context)
    }

    /// Legacy: signs a buyer in with a ``Multipass`` token of a shop on Shopify Plus; a token can be used once.
    ///
    /// - Throws: `IdentityError`.
    public func signIn(
        multipassToken token: Secret,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> TokenSet {
        try await tokens(from: LegacyCustomerTokenCreateWithMultipass(multipassToken: token), in: context)
    }

    func tokens<Operation: GraphQLOperation>(
        from operation: Operation,
        in context: StorefrontContext
    ) async throws -> TokenSet where Operation.Output == LegacyCustomerTokenPayload {
        try await tokens(client.execute(operation, in: context), Operation.document, context)
    }

    private func tokens(
        _ result: StorefrontResult<LegacyCustomerTokenPayload>,
        _ document: GraphQLDocument,
        _ context: StorefrontContext
    ) async throws -> TokenSet {
        try LegacyCustomerUserErrors.check(result.data.customerUserErrors, result.metadata)
        guard let token = result.data.customerAccessToken else {
            guard !result.errors.isEmpty else { throw Self.noToken }
            throw client.failure(of: result, document).recast(
                hint: """
                    Read the error's cause. If the app has all access, let the buyer sign in again, after a reset or an activation \
                    with the new password. If that fails, get a new e-mail or Multipass token.
                    """
            )
        }
        do { return tokens(token, of: try await buyer(token.accessToken, context)) } catch {
            await drop(token)
            throw error
        }
    }

    /// Deletes a new token whose buyer could not be read, even if the caller was cancelled, because the caller does not get the token.
    private func drop(_ token: LegacyCustomerToken) async {
        _ = await Task { [client, environment] in
            try? await TokenRevocation.limited(to: .seconds(5), on: environment.clock) {
                _ = try await client.execute(LegacyCustomerTokenDelete(customerAccessToken: token.accessToken))
                return true
            }
        }.value
    }

    func tokens(_ token: LegacyCustomerToken, of buyer: Buyer) -> TokenSet {
        let now = environment.clock.now
        // Shopify sometimes sends the token's time of creation as `expiresAt`, so an `expiresAt` in the past is ignored.
        let expiresAt = token.expiresAt.date > now ? token.expiresAt.date : nil
        var tokens = TokenSet(buyer: buyer, accessToken: token.accessToken, issuedAt: now, expiresAt: expiresAt)
        // Shopify extends the access token itself: there is no separate refresh token.
        tokens.refreshToken = token.accessToken
        return tokens
    }

    func buyer(
        _ token: Secret,
        _ context: StorefrontContext = StorefrontContext(),
        until deadline: Duration? = nil
    ) async throws -> Buyer {
        let operation = LegacyCustomerIdentityQuery(customerAccessToken: token)
        let customer = try await client.execute(operation, in: context, until: deadline).data
        guard let customer else { throw Self.expired }
        func contact(_ value: String?) -> Buyer.Contact? {
            value.flatMap { $0.isEmpty ? nil : Buyer.Contact($0, isVerified: false) }
        }
        return Buyer(
            issuer: issuer,
            subject: customer.id,
            email: contact(customer.email),
            phone: contact(customer.phone),
            givenName: customer.firstName,
            familyName: customer.lastName,
            displayName: customer.displayName
        )
    }

    // MARK: IdentityProvider

    /// Legacy: always throws, because this provider has no login page.
    ///
    /// - Throws: Always, with code `IdentityError.Code.unsupportedByProvider`.
    public func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest {
        throw Self.noPage
    }

    /// Legacy: always throws, because this provider has no login page and so no callback.
    ///
    /// - Throws: Always, with code `IdentityError.Code.unsupportedByProvider`.
    public func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
        throw Self.noPage
    }

    /// Legacy: always nil, because a sign-in with this provider gives the browser no session at Shopify.
    public func logoutURL(for tokens: TokenSet, returningTo uri: String?) async throws -> HTTPURL? { nil }

    /// Legacy: deletes the token at Shopify.
    ///
    /// - Returns: Whether Shopify deleted it; false for a token that Shopify does not know.
    /// - Throws: `IdentityError`, also when Shopify returned GraphQL errors and did not say whether it deleted the token.
    @discardableResult
    public func revoke(_ tokens: TokenSet) async throws -> Bool {
        try checkIssuer(of: tokens)
        let result = try await client.execute(LegacyCustomerTokenDelete(customerAccessToken: tokens.accessToken))
        guard result.data.deletedCustomerAccessTokenID == nil else { return true }
        guard !result.data.userErrors.isEmpty || result.errors.isEmpty else {
            throw client.failure(of: result, LegacyCustomerTokenDelete.document)
        }
        return false
    }

    /// Legacy: reads the buyer from the Storefront API.
    ///
    /// - Throws: `IdentityError`; with `IdentityError.Code.accessTokenRefused` for a token that Shopify no longer accepts.
    public func buyerProfile(for tokens: TokenSet) async throws -> Buyer {
        try checkIssuer(of: tokens)
        do {
            return try await buyer(tokens.accessToken)
        } catch let error as IdentityError where error.kind == .signInAgain {
            throw Self.refused
        }
    }

    /// Legacy: the token itself, which signs the buyer in on carts of shops with legacy accounts.
    public func cartClaim(for tokens: TokenSet) async throws -> CartClaim {
        try checkIssuer(of: tokens)
        return .customer(
            CustomerAccessToken(
                issuedByShopify: tokens.accessToken,
                expiresAt: tokens.expiresAt,
                issuer: issuer,
                isLegacy: true
            )
        )
    }

    /// Throws an error if another shop issued the tokens, before they are sent to this shop.
    func checkIssuer(of tokens: TokenSet) throws(IdentityError) {
        guard tokens.buyer.issuer.isIdentical(to: issuer) else {
            throw IdentityError.issuerChanged(from: tokens.buyer.issuer, to: issuer, canListIssuers: false)
        }
    }

    private static var noPage: IdentityError {
        IdentityError(
            unsupported: "LegacyPasswordProvider has no login page.",
            hint: "Ask the buyer for e-mail address and password, and call signIn(email:password:in:).",
            reference: "Storefront API reference, customerAccessTokenCreate"
        )
    }

    private static var noToken: IdentityError {
        IdentityError(
            .rejected,
            .unexpectedResponse,
            "Shopify's response contains no token for the legacy customer and no error.",
            hint:
                "If the customer has not activated the account yet, activate the account first. Otherwise let the buyer sign in again.",
            reference: "Storefront API reference, customerAccessTokenCreate"
        )
    }

    /// The error for a rejected token; `SessionManager` then repeats the call with a newer token, which another process may have stored.
    static var refused: IdentityError {
        IdentityError(
            .retryLater,
            .accessTokenRefused,
            "Shopify no longer accepts the legacy customer's token.",
            hint:
                "Call SessionManager.refreshTokens(for:) for the session, then try again. If the refresh fails, let the buyer sign in "
                + "again.",
            reference: "Storefront API reference, customer"
        )
    }

    private static var expired: IdentityError {
        IdentityError(
            .signInAgain,
            .invalidGrant,
            "Shopify does not accept the legacy customer's token: it has expired or was revoked, for example by a new password.",
            hint: "Let the buyer sign in again.",
            reference: "Storefront API reference, customer"
        )
    }
}
