import IdentityKit
import ShopifyCustomerAccount
import ShopifyGraphQL
import ShopifyLegacyCustomers
import ShopifyStorefront

// swift-format-ignore
extension App {
    func customerAccountsPage(session: SessionID) async throws {
        let client = CustomerAccountClient(
            configuration: try CustomerAccountConfiguration(shopDomain: "example.myshopify.com"),
            environment: environment)
        let account = CustomerAccount(of: session, client: client, sessions: sessions)

        let profile = try await account.profile()
        try await account.update(CustomerProfileInput(firstName: .set("Ada"), lastName: .null))
        for try await page in account.orders(pageSize: 20) { show(page) }
        _ = profile
    }

    func legacyCustomersPage(email: String, password: Secret, newPassword: Secret) async throws {
        let legacy = LegacyPasswordProvider(client: storefront, environment: environment)
        let sessions = SessionManager(providers: try ProviderRegistry([legacy]), store: store, environment: environment)

        let tokens = try await legacy.signIn(email: email, password: password, in: StorefrontContext(buyerIP: ip))
        let session = try await sessions.establish(tokens, provider: legacy.descriptor.name)

        let account = LegacyCustomerAccount(of: session.id, provider: legacy, sessions: sessions)
        let customer = try await account.customer()
        try await account.update(LegacyCustomerUpdateInput(phone: .null))
        try await account.update(LegacyCustomerUpdateInput(password: .set(newPassword)))
        _ = customer
    }

    func legacyCustomersPage(legacy: LegacyPasswordProvider, multipassSecret: Secret, email: String) async throws {
        let multipass = try Multipass(shopDomain: "www.example.com", secret: multipassSecret, environment: environment)
        let buyer = MultipassCustomer(email: email, identifier: "customer-17", remoteIP: ip)
        let url = try multipass.loginURL(for: buyer, returningTo: "/collections/sale")    // redirect the browser to url.reveal()
        let token = try multipass.token(for: buyer)
        let signedIn = try await legacy.signIn(multipassToken: token, in: StorefrontContext(buyerIP: ip))
        _ = (url, signedIn)
    }
}
