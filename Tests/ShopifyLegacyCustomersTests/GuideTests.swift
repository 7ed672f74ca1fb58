import Foundation
import IdentityKit
import ShopifyGraphQL
import ShopifyLegacyCustomers
import ShopifyStorefront
import Testing

/// The compiled code of the page; the test below compares it with the page.
private enum Guide {
    // swift-format-ignore
    static func signIn(
        storefront: StorefrontClient, environment: IdentityEnvironment, store: any SessionStore, email: String,
        password: Secret, newPassword: Secret, ip: String
    ) async throws {
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

    // swift-format-ignore
    static func multipass(
        legacy: LegacyPasswordProvider, environment: IdentityEnvironment, multipassSecret: Secret, email: String, ip: String
    ) async throws {
let multipass = try Multipass(shopDomain: "www.example.com", secret: multipassSecret, environment: environment)
let buyer = MultipassCustomer(email: email, identifier: "customer-17", remoteIP: ip)
let url = try multipass.loginURL(for: buyer, returningTo: "/collections/sale")    // redirect the browser to url.reveal()
let token = try multipass.token(for: buyer)
let signedIn = try await legacy.signIn(multipassToken: token, in: StorefrontContext(buyerIP: ip))
        _ = (url, signedIn)
    }
}

@Suite("The guide to legacy customers")
struct LegacyCustomerGuideTests {
    @Test("every Swift sample of the page is part of the compiled code of this file")
    func code() throws {
        let here = URL(filePath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Documentation/Using/LegacyCustomers.md"),
            encoding: .utf8
        )
        let source = try String(contentsOf: here, encoding: .utf8)
        let blocks = page.components(separatedBy: "```swift\n").dropFirst()
        #expect(blocks.count == 3)
        for block in blocks { #expect(source.contains(block.components(separatedBy: "```")[0])) }
    }
}
