import FoundationEssentials
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentityPresentation
import IdentitySQLite
import IdentitySandbox
import IdentityShopify
import IdentityStoreKit
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import ShopifyStorefrontExperimental
import StorefrontSandbox
import Synchronization
import TestDoubles

/// A value with marked secrets for every public type that contains secrets or personal data.
enum Samples {
    /// A presenter that keeps the login that it is given, and fails.
    final class FailingPresenter: Presenter {
        let shown = Mutex<PresentedLogin?>(nil)

        func present(_ login: PresentedLogin) async throws -> String {
            shown.withLock { $0 = login }
            throw CancellationError()
        }
    }

    private final class Silent: BoltLoginDelegate {
        func onLoginSuccess(authCode: String, codeVerifier: String, state: String) {}
        func onLoginError(errorReason: String) {}
        func onLoginCancel() {}
    }

    /// Values that can be created directly.
    static func values(_ canary: SecretCanary) throws -> [Any] {
        try people(canary) + messages(canary) + sessions(canary) + providers(canary) + carts(canary)
    }

    static func address(_ canary: SecretCanary) -> PostalAddress {
        var address = PostalAddress()
        address.givenName = canary.plant("given")
        address.line1 = canary.plant("line1")
        address.phone = canary.plant("phone")
        return address
    }

    private static func people(_ canary: SecretCanary) -> [Any] {
        let email = Buyer.Contact(canary.plant("email"), isVerified: true)
        let buyer = Buyer(
            issuer: "https://id.example",
            subject: canary.plant("subject"),
            email: email,
            phone: Buyer.Contact(canary.plant("phone"), isVerified: false),
            displayName: canary.plant("name"),
            addresses: [address(canary)]
        )
        let contact = BuyerContact(
            email: canary.plant("email"),
            phone: canary.plant("phone"),
            addresses: [address(canary)]
        )
        let token = CustomerAccessToken(issuedByShopify: secret("customer", canary), expiresAt: nil, issuer: "i")
        return [email, buyer, address(canary), contact, token, CartClaim.contact(contact), CartClaim.customer(token)]
    }

    static func secret(_ label: String, _ canary: SecretCanary) -> Secret { Secret(canary.plant(label)) }

    private static func messages(_ canary: SecretCanary) throws -> [Any] {
        var headers = HTTPHeaders()
        try headers.set("Authorization", "Bearer \(canary.plant("header"))")
        try headers.append("Set-Cookie", "dwsid=\(canary.plant("cookie"))")
        let url = try HTTPURL("https://id.example/callback?code=\(canary.plant("code"))")
        let body = Array("token=\(canary.plant("body"))".utf8)
        var jar = CookieJar()
        let response = HTTPResponse(status: 200, headers: headers, body: body)
        jar.absorb(response, from: url)
        return [headers, url, HTTPRequest(method: .post, url: url, headers: headers, body: body), response, jar]
    }

    static func tokens(_ canary: SecretCanary) -> TokenSet {
        var tokens = TokenSet(
            buyer: Buyer(issuer: "https://id.example", subject: canary.plant("subject")),
            accessToken: secret("access", canary),
            issuedAt: Date()
        )
        tokens.refreshToken = secret("refresh", canary)
        tokens.idToken = secret("id", canary)
        tokens.nonce = secret("nonce", canary)
        tokens.claims = IDTokenClaims(
            issuer: "https://id.example",
            subject: tokens.buyer.subject,
            all: ["groups": .string(canary.plant("claim"))]
        )
        tokens.dpopKey = secret("dpop_key", canary)
        return tokens
    }

    private static func sessions(_ canary: SecretCanary) throws -> [Any] {
        let tokens = tokens(canary)
        let url = try HTTPURL("https://id.example/authorize?state=\(canary.plant("state"))")
        let attempt = LoginAttempt(
            provider: "p",
            state: secret("state", canary),
            nonce: secret("nonce", canary),
            codeVerifier: secret("verifier", canary),
            createdAt: Date(),
            expiresAt: Date()
        )
        var options = LoginOptions()
        options.loginHint = canary.plant("hint")
        options.additionalParameters = [("a", canary.plant("parameter"))]
        var defaults = LoginDefaults()
        defaults.loginHint = canary.plant("hint")
        defaults.additionalParameters = [("a", canary.plant("parameter"))]
        var shopify = ShopifyLoginOptions()
        shopify.loginHint = canary.plant("hint")
        let id = SessionID(rawValue: "kX9fQ2bT7hLw0ZsN4mVcRg")
        canary.watch(Secret(id?.rawValue ?? ""))
        let stored = id.map { id in
            StoredSession(
                id: id,
                provider: "p",
                tenant: "t",
                issuer: "i",
                subject: canary.plant("subject"),
                createdAt: Date(),
                retainedUntil: Date(),
                payload: RecordWriter.record(tokens.write(to:))
            )
        }
        let removed = stored.map { RemovedSession(session: $0, attachments: ["cart": secret("cart", canary)]) }
        let key = try StoreKey(bytes: Secret(bytes: Array(canary.plant("store-key-xy").utf8.prefix(32))))
        let answer = IdentityError.ProviderResponse(
            error: canary.plant("error"),
            errorDescription: canary.plant("description"),
            errorURI: canary.plant("uri"),
            traceID: canary.plant("trace")
        )
        let configuration = try IdentityConfiguration(
            json: Array(#"{"providers":{"a":{"kind":"x"}},"store":{"path":"s"}}"#.utf8),
            environmentVariables: ["SECRET": canary.plant("environment")]
        )
        let filter = SessionFilter(buyer: ("i", canary.plant("filter")))
        let cause = NoNetwork.failure
        var values: [Any] = [tokens, attempt, options, defaults, shopify, secret("plain", canary), filter, key]
        values +=
            [configuration, StoreKeys(active: key), answer] as [Any]
        values.append(IdentityError(.rejected, .invalidGrant, "No.", providerResponse: answer, cause: cause))
        values.append(AuthorizationRequest(url: url, attempt: attempt))
        values.append(try LoginCallback(url: "/cb?code=\(canary.plant("code"))&\(canary.plant("name"))=1"))
        values.append(SessionAttachment(payload: secret("cart", canary), revision: 1))
        values.append(RefreshRefusal(IdentityError(.rejected, .tokenResponseInvalid, "Refused.")))
        values.append(
            RefreshResponse(status: 200, body: secret("answer", canary), startedAt: Date(), receivedAt: Date())
        )
        values.append(StoredLoginAttempt(key: "k", expiresAt: Date(), payload: secret("attempt", canary)))
        values.append(SQLiteStore.Configuration(path: "p", key: key, readOnlyKeys: [key]))
        let prompt = DeviceLoginPrompt(
            provider: "p",
            userCode: canary.plant("user-code"),
            verificationURI: try HTTPURL("https://id.example/device"),
            verificationURIComplete: try HTTPURL("https://id.example/device?user_code=\(canary.plant("complete"))"),
            expiresAt: Date()
        )
        let device = secret("device", canary)
        values += [
            prompt, DevicePoll.authorized(tokens), DevicePoll.unanswered(IdentityError(.rejected, .invalidGrant, "")),
        ]
        values.append(DeviceAuthorization(prompt: prompt, deviceCode: device, lifetime: .seconds(1), scopes: []))
        let posted = Array("code=\(canary.plant("code"))".utf8)
        values.append(PresentedCallback(url: "/cb?code=\(canary.plant("code"))", form: posted))
        values.append(try LogoutCallback(url: "/signed-out?state=\(canary.plant("state"))"))
        values.append(
            LogoutTokenClaims(
                issuer: "i",
                subject: canary.plant("subject"),
                providerSessionID: canary.plant("sid"),
                tokenID: canary.plant("jti"),
                expiresAt: Date()
            )
        )
        if let id { values.append(id) }
        if let stored { values += [stored, SessionListing(sessions: [stored])] as [Any] }
        let header = try StoreHeader.make(sealedUnder: StoreKeys(active: key))
        let records = try header.records(openedWith: StoreKeys(active: key))
        values +=
            [records, SessionSpool(path: "s", records: records), RowMaintenance(NoTables(), records: records)] as [Any]
        if let removed { values.append(removed) }
        if let store = configuration.store { values.append(store) }
        return values
    }

    /// Only this test uses this key pair.
    private static let clientKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJH25YnQPt52mTFfM
        aV1QA9FbI/lRLjrhdhpz6L0R5S2hRANCAATXtvFySXY/6GwB4S74Ub4vU3HnSmz1
        g/y8mkohWieCMZSE6t4wNp6AGFuzn3sCUhOa/cJqwkMuxeGrwXNKwuMM
        -----END PRIVATE KEY-----
        """

    private static func providers(_ canary: SecretCanary) throws -> [Any] {
        let environment = IdentityEnvironment(transport: NoNetwork())
        let confidential = ShopifyProvider.Client.confidential(secret("client", canary))
        let shopify = ShopifyProvider.Configuration(
            name: "shopify",
            shopDomain: "example.myshopify.com",
            clientID: "client",
            client: confidential,
            redirectURI: "https://app.example/callback"
        )
        let shopifyProvider = try ShopifyProvider(shopify, environment: environment)
        let key = BoltClientAuthentication.confidential(apiKey: secret("api-key", canary))
        let bolt = BoltProvider.Configuration(
            name: "bolt",
            environment: .sandbox,
            publishableKey: "a.b.c",
            authentication: key
        )
        let boltProvider = try BoltProvider(bolt, environment: environment)
        let basic = ClientAuthentication.secretBasic(secret("basic", canary))
        var openID = OpenIDProvider.Configuration(name: "any", issuer: "https://id.example", clientID: "client")
        openID.authentication = basic
        var sfcc = SFCCConfiguration(name: "sfcc", host: "shop.example", siteID: "Shop")
        sfcc.extraQuery = [("key", secret("query", canary))]
        sfcc.extraForm = [("key", secret("form", canary))]
        let client = AuthClient(provider: shopifyProvider, storefrontAccessToken: canary.plant("storefront"))
        let checkout = BoltCheckout()
        let silent = Silent()
        let login = BoltLoginFlow(delegate: silent, checkout: checkout)
        checkout.configure(provider: boltProvider, presenter: FailingPresenter())
        let result = BoltLoginResult.completed(
            authorizationCode: canary.plant("code"),
            codeVerifier: canary.plant("verifier"),
            state: canary.plant("state")
        )
        var values: [Any] = [confidential, shopify, shopifyProvider, shopify.endpoints]
        values += [key, bolt, boltProvider, bolt.endpoints] as [Any]
        for line in clientKey.split(separator: "\n").dropFirst().dropLast() { canary.watch(Secret(String(line))) }
        let clientKey = try ClientKey(Secret(clientKey))
        let signed = SignedClientSecret(key: clientKey, issuer: "team", audience: "https://id.example")
        values += [clientKey, signed, ClientAuthentication.privateKeyJWT(clientKey)] as [Any]
        values.append(try ResponseCookie("__Host-session", canary.plant("cookie")))
        values += [basic, ClientAuthentication.secretPost(secret("post", canary)), openID, openID.endpoints] as [Any]
        values.append(try OpenIDProvider(openID, environment: environment))
        values += try openIDParts(openID, canary)
        values += [sfcc, sfcc.endpoints, client, checkout, result] as [Any]
        values.append(try ShopSignOnLink(shopDomain: "shop.example"))
        values.append(login)
        values.append(try SFCCProvider(sfcc, environment: environment))
        return values
    }

}

private struct NoTables: SealedTables {
    func rows(of kind: SealedRow.Kind, after key: Int64, limit: Int) async throws -> [StoredRow] { [] }
    func replace(_ rows: [StoredRow], with records: [[UInt8]]) async throws -> Int { 0 }
    func quarantine(_ rows: [StoredRow], reasons: [IdentityError]) async throws -> Int { 0 }
}
