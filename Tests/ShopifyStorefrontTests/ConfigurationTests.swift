import IdentityHTTP
import IdentityKit
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import TestGuides
import Testing

@Suite struct ConfigurationTests {
    private func section(_ json: String) throws -> ConfigurationSection {
        let text = #"{"storefront":\#(json)}"#
        let configuration = try IdentityConfiguration(
            json: Array(text.utf8),
            environmentVariables: ["TOKEN": "shpat-1"]
        )
        return try #require(configuration.storefront)
    }

    @Test("the endpoint consists of domain and version", .row("A1"))
    func endpoint() throws {
        let configuration = try StorefrontConfiguration(shopDomain: "Example.MyShopify.com", authentication: .tokenless)
        #expect(configuration.endpoint.text == "https://example.myshopify.com/api/2026-10/graphql.json")
        let older = try StorefrontConfiguration(
            shopDomain: "shop.example",
            authentication: .tokenless,
            apiVersion: .v2026_01
        )
        #expect(older.endpoint.text == "https://shop.example/api/2026-01/graphql.json")
    }

    @Test(
        "text that is not a host name is refused as a shop domain",
        .row("A1"),
        arguments: [
            "", "localhost", "https://shop.example", "shop.example/x", "shop.example:443", "a@shop.example",
            "shop.example?x", "127.0.0.1", "[::1].x", "shop.example.", "shop example.com", "shop.example\r\nX: y",
            "[::ffff:10.0.0.1]", "\u{212A}.example",
        ]
    )
    func wrongDomain(domain: String) {
        let error = #expect(throws: IdentityError.self) {
            try StorefrontConfiguration(shopDomain: domain, authentication: .tokenless)
        }
        #expect(error?.kind == .configuration)
    }

    @Test(
        "a token that is empty or contains characters that a token cannot contain is refused",
        .row("A1"),
        arguments: ["", "a b", "a\r\nX-Evil: 1", "tök"]
    )
    func wrongToken(token: String) {
        for authentication in [StorefrontAuthentication.privateToken(Secret(token)), .publicToken(token)] {
            let error = #expect(throws: IdentityError.self) {
                try StorefrontConfiguration(shopDomain: "shop.example", authentication: authentication)
            }
            #expect(error?.kind == .configuration)
        }
    }

    @Test(
        "a version that would change the URL's path is refused",
        arguments: ["../..", "2026-10/../x", "", "2026-10?x", "A"]
    )
    func wrongVersion(version: String) {
        #expect(throws: IdentityError.self) {
            try StorefrontConfiguration(
                shopDomain: "shop.example",
                authentication: .tokenless,
                apiVersion: StorefrontAPIVersion(rawValue: version)
            )
        }
    }

    @Test(
        "an http endpoint on another machine is refused, and one on this machine is refused unless the configuration allows it",
        arguments: [false, true]
    )
    func insecureEndpoint(allowsLoopbackHTTP: Bool) throws {
        func isAccepted(_ endpoint: String) throws -> [Bool] {
            let url = try HTTPURL(endpoint)
            let json =
                #"{"shopDomain":"shop.example","endpoint":"\#(endpoint)","allowsLoopbackHTTP":\#(allowsLoopbackHTTP)}"#
            let section = try section(json)
            let results = [
                Result {
                    try StorefrontConfiguration(
                        shopDomain: "shop.example",
                        authentication: .tokenless,
                        endpoint: url,
                        allowsLoopbackHTTP: allowsLoopbackHTTP
                    )
                },
                Result { try StorefrontConfiguration(section) },
            ]
            for case .failure(let error) in results { #expect((error as? IdentityError)?.kind == .configuration) }
            return results.map { (try? $0.get()) != nil }
        }
        #expect(try isAccepted("http://shop.example/api") == [false, false])
        #expect(try isAccepted("http://127.0.0.1:8080/api") == [allowsLoopbackHTTP, allowsLoopbackHTTP])
        #expect(try isAccepted("https://shop.example/api") == [true, true])
    }

    @Test("the section of the configuration file is read")
    func fromFile() throws {
        let configuration = try StorefrontConfiguration(
            try section(
                #"""
                {"shopDomain":"shop.example","apiVersion":"2026-04","privateToken":{"env":"TOKEN"},
                 "endpoint":"http://127.0.0.1:8080/api","allowsLoopbackHTTP":true,"timeout":3}
                """#
            )
        )
        #expect(configuration.shopDomain == "shop.example")
        #expect(configuration.apiVersion == .v2026_04)
        #expect(configuration.endpoint.text == "http://127.0.0.1:8080/api")
        #expect(configuration.timeout == .seconds(3))
        guard case .privateToken(let token) = configuration.authentication else {
            Issue.record("The configuration has no private token.")
            return
        }
        #expect(token.reveal() == "shpat-1")
    }

    @Test(
        "an error about a wrong configuration member names the path of the member",
        arguments: [
            (#"{"shopDomain":"shop.example","tokn":"x"}"#, "storefront.tokn"),
            (#"{"apiVersion":"2026-10"}"#, "storefront.shopDomain"),
            (#"{"shopDomain":"shop.example","privateToken":"x"}"#, "storefront.privateToken"),
            (#"{"shopDomain":"shop.example","privateToken":{"env":"NONE"}}"#, "storefront.privateToken"),
            (#"{"shopDomain":"s.example","privateToken":{"env":"TOKEN"},"publicToken":"x"}"#, "storefront.publicToken"),
            (#"{"shopDomain":"shop.example","endpoint":"http://127.0.0.1/x"}"#, "storefront.endpoint"),
        ]
    )
    func wrongMember(json: String, path: String) throws {
        let section = try section(json)
        let error = #expect(throws: IdentityError.self) { try StorefrontConfiguration(section) }
        #expect(error?.message.contains(path) == true)
    }
}
