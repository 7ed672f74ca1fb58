import IdentityHTTP
import ShopifyGraphQL
import Testing

@Suite("Shop domains")
struct ShopDomainTests {
    @Test("a host name is a shop's domain, in lower case and at https", arguments: [false, true])
    func hostName(allowsLoopbackHTTP: Bool) throws {
        let domain = try #require(ShopDomain("Example.MyShopify.com", allowsLoopbackHTTP: allowsLoopbackHTTP))
        #expect(domain.name == "example.myshopify.com")
        #expect(domain.url.text == "https://example.myshopify.com")
    }

    @Test(
        "text that is not a host name with a dot is refused",
        arguments: [
            "", "shop", "localhost", "https://shop.example", "user@shop.example", "shop.example:443", "shop.example/",
            "shop.example/x", "shop.example?", "shop.example#x", "shop.example.", "shop example.com",
            "shop.example\r\nX: y", "shöp.example", "\u{212A}.example", "10.0.0.1", "[2001:db8::1]",
            "[::ffff:10.0.0.1]",
        ]
    )
    func otherText(text: String) {
        #expect(ShopDomain(text) == nil)
        #expect(ShopDomain(text, allowsLoopbackHTTP: true) == nil)
    }

    @Test(
        "a loopback address is accepted only where http to it is allowed, with or without a port",
        arguments: ["127.0.0.1", "127.0.0.1:8080", "[::1]", "[::1]:8080"]
    )
    func loopback(text: String) throws {
        #expect(ShopDomain(text) == nil)
        let domain = try #require(ShopDomain(text, allowsLoopbackHTTP: true))
        #expect(domain.name == text)
        #expect(domain.url.text == "http://" + text)
        for rest in ["/", "/x", "?x", "#x"] { #expect(ShopDomain(text + rest, allowsLoopbackHTTP: true) == nil) }
    }
}
