import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityShopify
import IdentityTesting
import StorefrontSandbox
import Testing

@Suite("The configuration of a Shopify client")
struct ConfigurationTests {
    /// Creates the provider of a configuration entry with these members, as an app does.
    private func provider(
        _ members: String,
        in environment: IdentityEnvironment? = nil
    ) throws -> any IdentityProvider {
        let json = #"{ "providers": { "shop": { "kind": "shopify", "clientID": "client", \#(members) } } }"#
        let configuration = try IdentityConfiguration(json: Array(json.utf8), environmentVariables: ["SECRET": "s"])
        let registry = try ProviderRegistry(
            configuration,
            factories: [ShopifyProviderFactory()],
            environment: environment ?? IdentityEnvironment(transport: ScriptedTransport([:]))
        )
        return try registry.provider(named: "shop")
    }

    @Test(
        "the error for an invalid member names the member and has a hint",
        arguments: [
            (#""client":"publicMobile""#, "shopDomain", "myshopify.com"),
            (#""shopDomain":"shop","client":"publicMobile""#, "shopDomain", "myshopify.com"),
            (#""shopdomain":"a.example","client":"publicMobile""#, "shopdomain", "shopDomain, shopID"),
            (
                #""shopDomain":"a.example","client":"publicMobile","postLogoutRedirectUri":"x""#,
                "postLogoutRedirectUri", "postLogoutRedirectURI"
            ),
            (#""shopDomain":"https://a.example","client":"publicMobile""#, "shopDomain", "without https://"),
            (#""shopDomain":"a.example/x","client":"publicMobile""#, "shopDomain", "without"),
            (#""shopDomain":"a.example:443","client":"publicMobile""#, "shopDomain", "port"),
            (#""shopDomain":"10.0.0.1","client":"publicMobile""#, "shopDomain", "myshopify.com"),
            (#""shopDomain":"127.0.0.1","client":"publicMobile""#, "shopDomain", "myshopify.com"),
            (#""shopDomain":"a.example""#, "client", ""),
            (#""shopDomain":"a.example","client":"public""#, "client", "publicMobile"),
            (
                #""shopDomain":"a.example","client":"confidential","redirectURI":"https://b.example/cb""#,
                "clientSecret", "confidential"
            ),
            (
                #""shopDomain":"a.example","client":"app","redirectURI":"https://b.example/cb","clientSecret":{"env":"SECRET"}"#,
                "clientSecret", "confidential"
            ),
            (
                #""shopDomain":"a.example","client":"app","redirectURI":"https://b.example/cb","origin":"https://b.example""#,
                "origin", "publicWeb"
            ),
            (#""shopDomain":"a.example","client":"app""#, "redirectURI", "https"),
            (
                #""shopDomain":"a.example","client":"app","redirectURI":"http://localhost:3000/cb""#, "redirectURI",
                "https://{your domain}/cb"
            ),
            (
                #""shopDomain":"a.example","client":"app","redirectURI":"https://b.example/cb#x""#, "redirectURI",
                "https"
            ),
            (
                #""shopDomain":"a.example","client":"publicMobile","redirectURI":"https://b.example/cb","shopID":"7""#,
                "redirectURI", "shop.7.app://callback"
            ),
            (
                #""shopDomain":"a.example","client":"publicMobile","redirectURI":"shop.8.app://callback","shopID":"7""#,
                "redirectURI", "shop.7.app://callback"
            ),
            (
                #""shopDomain":"a.example","client":"publicMobile","redirectURI":"shop.app://callback""#, "redirectURI",
                "shop.{shop id}.app://callback"
            ),
            (
                #""shopDomain":"a.example","client":"publicMobile","redirectURI":"http://127.0.0.1/cb""#, "redirectURI",
                "shop.{shop id}"
            ),
            (#""shopDomain":"a.example","client":"publicMobile","shopID":"07""#, "shopID", "digits"),
            (#""shopDomain":"a.example","client":"publicMobile","apiVersion":"latest""#, "apiVersion", "2026-10"),
            (#""shopDomain":"a.example","client":"publicMobile","scopes":["email"]"#, "scopes", "ID token"),
            (
                #""shopDomain":"a.example","client":"publicWeb","redirectURI":"https://b.example/cb","origin":"https://b.example/""#,
                "origin", "slash"
            ),
            (
                #""shopDomain":"a.example","client":"publicMobile","endpoints":{"token":"http://b.example/t"}"#,
                "endpoints.token", ""
            ),
            (
                #""shopDomain":"a.example","client":"publicMobile","endpoints":{"userInfo":"https://b.example/t"}"#,
                "endpoints.userInfo", ""
            ),
            (
                #""client":"publicMobile","endpoints":{"authorization":"https://b.example/a","token":"https://b.example/t"}"#,
                "shopDomain", ""
            ),
            (
                #""client":"app","redirectURI":"https://b.example/cb","endpoints":{"authorization":"https://b.example/a","token":"https://b.example/t","jwks":"https://b.example/k"}"#,
                "shopID", "issuers"
            ),
            (
                #""shopDomain":"a.example","client":"publicMobile","endpoints":{"authorization":"https://b.example/a","token":"https://b.example/t","jwks":"https://b.example/k"}"#,
                "shopID", "issuers"
            ),
            (#""shopDomain":"a.example","client":"publicMobile","nonsense":1"#, "nonsense", ""),
        ]
    )
    func problems(_ members: String, _ member: String, _ advice: String) throws {
        let error = try #require(throws: IdentityError.self) { _ = try provider(members) }
        #expect(error.kind == .configuration)
        #expect(error.message.contains("providers.shop.\(member) "))
        #expect(advice.isEmpty || error.hint?.contains(advice) == true)
    }

    @Test("a misspelled member is reported first, with the known member that has the most similar name")
    func misspelled() throws {
        for (written, meant) in [
            ("shopdomain", "shopDomain"), ("clientid", "clientID"), ("redirect_uri", "redirectURI"),
        ] {
            let error = try #require(throws: IdentityError.self) { _ = try provider(#""\#(written)":"a.example""#) }
            #expect(error.message.hasSuffix(".\(written) is not known; did you mean \(meant)?"), "\(error.message)")
        }
    }

    @Test(
        "each configuration with the required members is accepted",
        arguments: [
            #""shopDomain":"a.example","client":"publicMobile""#,
            #""shopDomain":"a.example","client":"publicMobile","redirectURI":"shop.7.app://callback""#,
            #""shopID":"7","client":"publicMobile""#,
            #""shopDomain":"a.example","client":"app","redirectURI":"https://b.example/cb""#,
            #""shopDomain":"a.example","client":"publicWeb","redirectURI":"https://b.example/cb""#,
            #""shopDomain":"a.example","client":"confidential","redirectURI":"https://b.example/cb","clientSecret":{"env":"SECRET"}"#,
            #""client":"publicMobile","redirectURI":"http://127.0.0.1/cb","allowsLoopbackHTTP":true,"timeout":2.5,"endpoints":{"discovery":"http://127.0.0.1:1/d"}"#,
            #""client":"app","redirectURI":"http://[::1]:9/cb","allowsLoopbackHTTP":true,"issuers":["x"],"endpoints":{"authorization":"http://127.0.0.1:1/a","token":"http://127.0.0.1:1/t","jwks":"http://127.0.0.1:1/k"}"#,
        ]
    )
    func sufficient(_ members: String) throws {
        #expect(try provider(members).descriptor.kind == "shopify")
    }

    /// Ways to configure a fake Shopify in the configuration file.
    enum Fake: String, CaseIterable, Sendable {
        case shopDomain, discovery, discoveryAndIssuers, everything, wholeWithIssuers, wholeWithShopID, overridden
    }

    @Test(
        "the configured issuers, or else the issuer of the configured shop id, are equivalent, and no others",
        arguments: [
            (#""shopDomain":"a.example""#, []), (#""shopID":"7""#, ["https://shopify.com/authentication/7"]),
            (
                #""shopID":"7","issuers":["https://new.example","https://old.example"]"#,
                ["https://new.example", "https://old.example"]
            ),
        ]
    )
    func equivalentIssuers(members: String, issuers: [String]) throws {
        let client = #""client":"app","redirectURI":"https://b.example/cb""#
        #expect(try provider("\(client),\(members)").descriptor.equivalentIssuers == issuers)
    }

    @Test("every way to configure a fake Shopify on this machine completes a login", arguments: Fake.allCases)
    func fakes(_ fake: Fake) async throws {
        let shop = try await Shop(.publicWeb) { settings in
            // A fake may use any issuer; then the configuration must name it.
            if ![.shopDomain, .discovery, .wholeWithShopID].contains(fake) { settings.issuer = "https://id.example" }
        }
        let shopify = shop.shopify
        let origin = shop.sandbox.storefront.origin
        let discovery = #""discovery":"\#(origin)/.well-known/openid-configuration""#
        let whole =
            #""authorization":"\#(shopify.endpoints.authorization)","token":"\#(shopify.endpoints.token)","#
            + #""jwks":"\#(shopify.endpoints.jwks)","logout":"\#(shopify.endpoints.logout)""#
        let issuers = #""issuers":["https://elsewhere.example","https://id.example"]"#
        let members =
            switch fake {
            case .shopDomain: #""shopDomain":"\#(origin.dropFirst(7))""#
            case .discovery: #""endpoints":{\#(discovery)}"#
            case .discoveryAndIssuers: #""shopDomain":"a.example",\#(issuers),"endpoints":{\#(discovery)}"#
            case .everything:
                #""shopDomain":"a.example",\#(issuers),"endpoints":{\#(discovery),\#(whole),"api":"\#(shopify.endpoints.api)"}"#
            case .wholeWithIssuers: #"\#(issuers),"endpoints":{\#(whole)}"#
            case .wholeWithShopID: #""shopID":"82920341806","endpoints":{\#(whole)}"#
            case .overridden:
                #"\#(issuers),"endpoints":{\#(discovery),"token":"\#(shopify.endpoints.token)"}"#
            }
        let client = SandboxShopifyClient.publicWeb
        let json =
            #"{"providers":{"shop":{"kind":"shopify","client":"publicWeb","clientID":"\#(client.id)","redirectURI":"#
            + #""https://app.example/callback","allowsLoopbackHTTP":true,\#(members)}}}"#
        let registry = try ProviderRegistry(
            try IdentityConfiguration(json: Array(json.utf8)),
            factories: [ShopifyProviderFactory()],
            environment: shop.environment
        )
        let provider = try #require(try registry.provider(named: "shop") as? ShopifyProvider)
        let tokens = try await shop.login(provider)
        #expect(tokens.buyer.issuer == shopify.issuer)
        _ = try await provider.refresh(tokens)
        let logout = try #require(try await provider.logoutURL(for: tokens, returningTo: nil))
        #expect(logout.text.hasPrefix(shopify.endpoints.logout))
        let isWhole = [.wholeWithIssuers, .wholeWithShopID].contains(fake)
        #expect(shopify.requests(to: .discovery).isEmpty == isWhole)
        if fake != .wholeWithShopID {
            let buyer = try await provider.buyerProfile(for: tokens)
            #expect(buyer.givenName == (fake == .wholeWithIssuers ? nil : "Ada"))
        }
    }
}
