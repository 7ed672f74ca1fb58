import Foundation
import IdentityKit
import ShopifyCustomerAccount
import ShopifyGraphQL
import Testing

/// The compiled code of the page; the test below compares it with the page.
private enum Guide {
    @Sendable static func show(_ value: some Sendable) {}

    // swift-format-ignore
    static func account(environment: IdentityEnvironment, session: SessionID, sessions: SessionManager) async throws {
let client = CustomerAccountClient(
    configuration: try CustomerAccountConfiguration(shopDomain: "example.myshopify.com"),
    environment: environment)
let account = CustomerAccount(of: session, client: client, sessions: sessions)

let profile = try await account.profile()
try await account.update(CustomerProfileInput(firstName: .set("Ada"), lastName: .null))
for try await page in account.orders(pageSize: 20) { show(page) }
        _ = profile
    }
}

@Suite("The guide to customer accounts")
struct CustomerAccountGuideTests {
    @Test("every Swift sample of the page is part of the compiled code of this file")
    func code() throws {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Documentation/Using/CustomerAccounts.md"),
            encoding: .utf8
        )
        let source = try String(contentsOf: here, encoding: .utf8)
        let blocks = page.components(separatedBy: "```swift\n").dropFirst()
        #expect(blocks.count == 1)
        for block in blocks { #expect(source.contains(block.components(separatedBy: "```")[0])) }
    }
}
