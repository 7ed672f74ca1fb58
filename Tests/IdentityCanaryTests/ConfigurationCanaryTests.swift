import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentityShopify
import IdentityStoreKit
import IdentityTesting
import ShopifyStorefront
import StorefrontSandbox
import TestDoubles
import Testing

@Suite("Secrets in a configuration")
struct ConfigurationCanaryTests {
    /// Reads a configuration as an app does, including providers and storefront.
    private func read(_ json: String, _ witness: Witness, _ set: String) {
        do {
            let configuration = try IdentityConfiguration(
                json: Array(json.utf8),
                environmentVariables: ["SET": set]
            )
            if var store = configuration.store {
                _ = try store.string("path")
                _ = try StoreKey(hexadecimal: try store.secret("key"))
            }
            if let storefront = configuration.storefront { _ = try StorefrontConfiguration(storefront) }
            let factories: [any ProviderFactory] = [
                ShopifyProviderFactory(), BoltProviderFactory(), SFCCProviderFactory(), OpenIDProviderFactory(),
            ]
            _ = try ProviderRegistry(
                configuration,
                factories: factories,
                environment: IdentityEnvironment(transport: NoNetwork())
            )
        } catch {
            witness.see(error, json)
        }
    }

    @Test("errors do not repeat a secret in the wrong member of a configuration")
    func misplaced() {
        let witness = Witness(SecretCanary())
        let set = witness.canary.plant("set")
        let kinds = [
            #"{"kind":"openid","issuer":"https://id.example","clientID":"c","redirectURI":"https://a.example/","clientSecret":X}"#,
            #"{"kind":"shopify","shopDomain":"a.myshopify.com","clientID":"c","client":"confidential","redirectURI":"https://a.example/","clientSecret":X}"#,
            #"{"kind":"bolt","environment":"sandbox","publishableKey":"a.b.c","apiKey":X}"#,
            #"{"kind":"bolt","environment":X,"publishableKey":"a.b.c","apiKey":{"env":"SET"}}"#,
            #"{"kind":"openid","issuer":X,"clientID":"c"}"#, #"{"kind":X}"#, #"{"kind":"openid","timeout":X}"#,
            #"{"kind":"openid","issuer":"https://id.example","clientID":"c","scopes":X}"#,
            #"{"kind":"openid","issuer":"https://id.example","clientID":"c","redirectURI":X}"#,
            #"{"kind":"openid","issuer":"https://id.example","clientID":"c","endpoints":{"token":X}}"#,
            #"{"kind":"shopify","shopDomain":X,"clientID":"c","client":"publicMobile"}"#,
            #"{"kind":"bolt-sfcc","host":X,"siteID":"s"}"#,
        ]
        let wholes =
            kinds.map { "{\"providers\":{\"a\":\($0)}}" } + [
                #"{"store":{"path":"s","key":X}}"#, #"{"store":{"path":"s","key":{"env":X}}}"#, #"{"store":X}"#, "X",
                "[X]",
                #"{"storefront":{"shopDomain":"a.myshopify.com","apiVersion":"2026-10","privateToken":X}}"#,
                #"{"storefront":{"shopDomain":"a.myshopify.com","apiVersion":X,"privateToken":{"env":"SET"}}}"#,
                #"{"storefront":{"shopDomain":X,"apiVersion":"2026-10","privateToken":{"env":"SET"}}}"#,
                #"{"providers":{"a":{"kind":"openid","clientSecret":X,"clientSecret":X}}}"#, #"{"providers":X"#,
            ]
        for whole in wholes {
            for form in [
                #""M""#, #"{"env":"M"}"#, #"{"file":"M"}"#, #"{"env":"SET","M":"M"}"#, #"["M"]"#,
                "\"https://M@id.example/\"",
            ] {
                // Error messages may repeat the names of members, because an unknown name is probably a misspelling and not a secret.
                guard !form.contains("\"M\":") else { continue }
                read(
                    whole.replacing("X", with: form.replacing("M", with: witness.canary.plant("secret"))),
                    witness,
                    set
                )
            }
        }
        #expect(witness.findings().map { $0.prefix(300) } == [])
        #expect(witness.codes == ["configuration_invalid"])
    }

    @Test("errors do not show an invalid store key")
    func environment() throws {
        let witness = Witness(SecretCanary())
        for text in ["", "xyz", String(repeating: "g", count: 64), "0123456789abcdef"] {
            let secret = text + witness.canary.plant("key")
            witness.canary.watch(Secret(secret))
            do {
                witness.see(try StoreKey(hexadecimal: Secret(secret)), "key")
            } catch {
                witness.see(error, "key")
            }
        }
        #expect(witness.findings() == [])
        #expect(witness.codes.count == 1)
    }
}
