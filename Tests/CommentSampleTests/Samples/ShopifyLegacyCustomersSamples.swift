import IdentityKit
import ShopifyLegacyCustomers
import ShopifyStorefront

extension App {
    func legacySignIn(email: String, password: Secret, ip: String) async throws {
        let legacy = LegacyPasswordProvider(client: storefront, environment: environment)
        let tokens = try await legacy.signIn(email: email, password: password, in: StorefrontContext(buyerIP: ip))
        let session = try await sessions.establish(tokens, provider: legacy.descriptor.name)
        _ = session
    }

    func multipass(secret: Secret, verifiedEmail: String) throws {
        let multipass = try Multipass(shopDomain: "www.example.com", secret: secret, environment: environment)
        let url = try multipass.loginURL(for: MultipassCustomer(email: verifiedEmail), returningTo: "/collections/sale")
        redirect(to: url.reveal())
    }

    func legacyAccount(legacy: LegacyPasswordProvider) async throws {
        let account = LegacyCustomerAccount(of: session.id, provider: legacy, sessions: sessions)
        let customer = try await account.customer()
        _ = customer
    }
}
