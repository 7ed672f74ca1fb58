public import IdentityHTTP
public import IdentityKit
internal import ShopifyGraphQL
public import ShopifyStorefront

/// Legacy: customers of a shop's legacy accounts, who sign in with e-mail address and password through the Storefront API.
///
/// Shopify has declared legacy customer accounts deprecated, and new shops do not have them: use `ShopifyProvider` where you can. There
/// is no page to send the buyer to. The app asks for the password itself, calls ``signIn(email:password:in:)``, and stores
/// what comes with `SessionManager.establish(_:provider:)`; from then on the session is one like all others.
///
/// Give every call the buyer's IP in the context: Shopify throttles by it.
public struct LegacyPasswordProvider: IdentityProvider, BuyerProfileProviding, CartClaimProviding, TokenRevoking {
    /// Name and kind.
    public let descriptor: ProviderDescriptor
    let client: StorefrontClient
    private let environment: IdentityEnvironment
    private let issuer: String
    let replacements = TokenReplacements()

    /// Makes a provider; nothing is asked over the network.
    ///
    /// - Parameters:
    ///   - name: By which the app chooses it; `legacy` unless given.
    ///   - client: The shop's Storefront client; its token needs `unauthenticated_read_customers` and
    ///     `unauthenticated_write_customers`.
    ///   - environment: The clock; pass the one that the client has.
    ///   - tenant: The tenant that its sessions belong to; none unless given.
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
            clientType: "legacy customer accounts"
        )
        self.client = client
        self.environment = environment
        issuer = "https://\(domain)/account"
    }

    // MARK: Signing in

    /// Legacy: signs a buyer in with e-mail address and password.
    ///
    /// - Returns: Tokens for `SessionManager.establish(_:provider:)`.
    /// - Throws: `IdentityError`; with `IdentityError.Code.passwordRefused` whether it is the address or the password that
    ///   is wrong.
    public func signIn(
        email: String,
        password: Secret,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> TokenSet {
        let operation = LegacyCustomerTokenCreate(input: LegacyCustomerTokenInput(email: email, password: password))
        let payload = try await client.execute(operation, in: context).data
        if payload.customerUserErrors.contains(where: { $0.code == .unidentifiedCustomer }) {
            throw IdentityError(
                .rejected,
                .passwordRefused,
                "Shopify knows no customer with this e-mail address and password.",
                hint: "Let the buyer try again or ask for a new password; do not say which of the two was wrong."
            )
        }
        return try await tokens(payload, context)
    }

    /// Legacy: signs a buyer in with a Multipass token, which shops on Shopify Plus can make for customers of their own.
    ///
    /// - Parameters:
    ///   - token: Made with the shop's Multipass secret, for example by the shop's own server. It is good once.
    ///   - context: The buyer's IP.
    public func signIn(
        multipassToken token: Secret,
        in context: StorefrontContext = StorefrontContext()
    ) async throws -> TokenSet {
        try await tokens(
            client.execute(LegacyCustomerTokenCreateWithMultipass(multipassToken: token), in: context).data,
            context
        )
    }

    func tokens(_ payload: LegacyCustomerTokenPayload, _ context: StorefrontContext) async throws -> TokenSet {
        try LegacyCustomerUserErrors.check(payload.customerUserErrors)
        guard let token = payload.customerAccessToken else { throw Self.noToken }
        return tokens(token, of: try await buyer(token.accessToken, context))
    }

    func tokens(_ token: LegacyCustomerToken, of buyer: Buyer) -> TokenSet {
        let now = environment.clock.now
        // Shopify has sent the time of creation here; an expiry that has passed already says nothing.
        let expiresAt = token.expiresAt.date > now ? token.expiresAt.date : nil
        var tokens = TokenSet(buyer: buyer, accessToken: token.accessToken, issuedAt: now, expiresAt: expiresAt)
        // The token renews itself.
        tokens.refreshToken = token.accessToken
        return tokens
    }

    private func buyer(_ token: Secret, _ context: StorefrontContext) async throws -> Buyer {
        let operation = LegacyCustomerIdentityQuery(customerAccessToken: token)
        guard let customer = try await client.execute(operation, in: context).data else { throw Self.expired }
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

    // MARK: What sessions ask for

    /// Legacy: there is no page to send the buyer to.
    ///
    /// - Throws: Always, with code `IdentityError.Code.unsupportedByProvider`.
    public func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest {
        throw Self.noPage
    }

    /// Legacy: there is no page to come back from.
    ///
    /// - Throws: Always, with code `IdentityError.Code.unsupportedByProvider`.
    public func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
        throw Self.noPage
    }

    /// Legacy: prolongs the token, which Shopify does for one that has not expired.
    ///
    /// - Throws: `IdentityError`: of kind `IdentityError.Kind.signInAgain` when Shopify does not renew it; everything else leaves the
    ///   session as it is.
    public func refresh(_ tokens: TokenSet) async throws -> TokenSet {
        if let replacement = replacements.take(for: tokens.accessToken) { return replacement }
        let payload = try await client.execute(LegacyCustomerTokenRenew(customerAccessToken: tokens.accessToken)).data
        guard payload.userErrors.isEmpty, let token = payload.customerAccessToken else { throw Self.expired }
        return self.tokens(token, of: tokens.buyer)
    }

    /// Legacy: nil; the app asks for the password itself, so there is no session of Shopify's in the browser.
    public func logoutURL(for tokens: TokenSet, returningTo uri: String?) async throws -> HTTPURL? { nil }

    /// Legacy: deletes the token at Shopify.
    ///
    /// - Returns: True.
    @discardableResult
    public func revoke(_ tokens: TokenSet) async throws -> Bool {
        _ = try await client.execute(LegacyCustomerTokenDelete(customerAccessToken: tokens.accessToken))
        return true
    }

    /// Legacy: asks the Storefront API who the buyer is.
    ///
    /// - Throws: `IdentityError`; with `IdentityError.Code.accessTokenRefused` for a token that Shopify does not know any more.
    public func buyerProfile(for tokens: TokenSet) async throws -> Buyer {
        do {
            return try await buyer(tokens.accessToken, StorefrontContext())
        } catch let error as IdentityError where error.kind == .signInAgain {
            throw IdentityError(
                .retryLater,
                .accessTokenRefused,
                "Shopify does not know the legacy customer's token any more.",
                hint: "Renew it; where that fails the buyer has to sign in again."
            )
        }
    }

    /// Legacy: the token itself, which signs the buyer in on carts of shops with legacy accounts.
    public func cartClaim(for tokens: TokenSet) async throws -> CartClaim {
        .customer(
            CustomerAccessToken(issuedByShopify: tokens.accessToken, expiresAt: tokens.expiresAt, issuer: issuer)
        )
    }

    private static var noPage: IdentityError {
        IdentityError(
            .rejected,
            .unsupportedByProvider,
            "Legacy customer accounts have no login page for apps.",
            hint: "Ask for e-mail address and password, and call signIn(email:password:in:)."
        )
    }

    private static var noToken: IdentityError {
        IdentityError(
            .rejected,
            .unexpectedResponse,
            "Shopify reported no error and gave no token.",
            hint: "Try again; the account may have to be activated first."
        )
    }

    static var expired: IdentityError {
        IdentityError(
            .signInAgain,
            .invalidGrant,
            "The legacy customer's token has expired or was revoked, for example by a new password.",
            hint: "Let the buyer sign in again."
        )
    }
}
