import IdentityKit
import ShopifyCustomerAccount

extension App {
    func customerAccountClient() throws {
        let client = CustomerAccountClient(
            configuration: try CustomerAccountConfiguration(shopDomain: "example.myshopify.com"),
            environment: environment
        )
        let account = CustomerAccount(of: session.id, client: client, sessions: sessions)
        _ = account
    }

    func customerAccount(client: CustomerAccountClient) async throws {
        let account = CustomerAccount(of: session.id, client: client, sessions: sessions)
        let profile = try await account.profile()
        _ = profile
    }

    func orders(of account: CustomerAccount) async throws {
        for try await page in account.orders() { show(page) }
    }
}
