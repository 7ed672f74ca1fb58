internal import Foundation
internal import IdentityKit
internal import IdentitySandbox
internal import StorefrontSandbox

/// The fake providers and the fake shop, with a temporary store.
struct FakeServices {
    let sandbox: ShopSandbox
    let folder: URL
    let configuration: IdentityConfiguration

    init(app: String) async throws {
        var shop = SandboxStorefrontConfiguration.wholeShop
        shop.returnURL = app
        sandbox = try await ShopSandbox.start(storefront: shop)
        sandbox.customers.addOrders(1_001...1_003, for: "ada@example.com")
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("web-shop-\(UUID().uuidString)")
        let made = sandbox.labConfiguration(
            app: app,
            storePath: folder.appendingPathComponent("identity.sqlite").path
        )
        configuration = try IdentityConfiguration(
            json: made.json.serialized,
            environmentVariables: made.environment
        )
    }

    func stop() async {
        await sandbox.stop()
        try? FileManager.default.removeItem(at: folder)
    }
}
