import IdentityHTTP
import IdentityKit
import IdentityShopify
import Testing

@Suite("Single sign-on link of a shop")
struct ShopSignOnLinkTests {
    private static func buyer(_ email: Buyer.Contact?) -> Buyer {
        Buyer(issuer: "https://id.example", subject: "buyer-1", email: email)
    }

    private static let ada = buyer(Buyer.Contact("ada+shop@example.com", isVerified: true))

    private func code(_ body: () throws -> HTTPURL) -> IdentityError.Code? {
        #expect(throws: IdentityError.self) { _ = try body() }?.code
    }

    @Test("the link has the configured host, the escaped e-mail address, and the page to return to")
    func link() throws {
        let link = try ShopSignOnLink(shopDomain: "shop.example")
        #expect(
            try link.url(for: Self.ada).text
                == "https://shop.example/customer_authentication/login?login_hint=ada%2Bshop%40example.com&return_to=%2F"
        )
        let url = try link.url(for: Self.ada, returningTo: "/cart/42:1?a=b&login_hint=eve@example.com")
        #expect(url.query?.hasSuffix("&return_to=%2Fcart%2F42%3A1%3Fa%3Db%26login_hint%3Deve%40example.com") == true)
        #expect(url.query?.split(separator: "&").count == 2)
        #expect(!"\(url)".contains("ada") && !String(reflecting: url).contains("ada"))
    }

    @Test("a buyer without a verified e-mail address gets no link")
    func address() throws {
        let link = try ShopSignOnLink(shopDomain: "shop.example")
        for email in [nil, Buyer.Contact("ada@example.com", isVerified: false), Buyer.Contact("", isVerified: true)] {
            #expect(code { try link.url(for: Self.buyer(email)) } == .invalidRequest)
        }
    }

    @Test(
        "a page to return to that is not a path of the shop is refused",
        arguments: ["https://shop.example/", "//evil.example", "/\\evil.example", "", "cart", "javascript:alert(1)"]
    )
    func foreignPage(path: String) throws {
        let link = try ShopSignOnLink(shopDomain: "shop.example")
        #expect(code { try link.url(for: Self.ada, returningTo: path) } == .returnPathRefused)
    }

    @Test(
        "text that is not a bare domain name is refused as shop domain",
        arguments: ["", "https://shop.example", "shop.example/x", "shop", "a b.example", "shop.example:443"]
    )
    func domain(text: String) throws {
        #expect(code { try ShopSignOnLink(shopDomain: text).url(for: Self.ada) } == .configurationInvalid)
    }
}
