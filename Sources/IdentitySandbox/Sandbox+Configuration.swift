public import IdentityKit

/// A configuration file that works against a running sandbox.
public struct SandboxLabConfiguration: Sendable, Equatable {
    /// The file, as `identity-lab --config` and `IdentityConfiguration` read it.
    public let json: JSONValue
    /// The environment variables that the file's secrets refer to.
    public let environment: [String: String]

    /// Creates a configuration.
    package init(json: JSONValue, environment: [String: String]) {
        self.json = json
        self.environment = environment
    }

    /// The file as indented text.
    public var text: String { Self.indented(json, "") + "\n" }

    /// `NAME='value'` lines for a shell.
    public var environmentText: String {
        environment.sorted { $0.key < $1.key }.map { name, value in
            let quoted = value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
            return "export \(name)='\(quoted)'\n"
        }.joined()
    }

    private static func indented(_ value: JSONValue, _ margin: String) -> String {
        guard let object = value.object, !object.members.isEmpty else {
            return String(decoding: value.serialized, as: UTF8.self)
        }
        let inner = margin + "  "
        let lines = object.members.map { member in
            inner + String(decoding: JSONValue.string(member.name).serialized, as: UTF8.self) + ": "
                + indented(member.value, inner)
        }
        return "{\n" + lines.joined(separator: ",\n") + "\n\(margin)}"
    }
}

extension Sandbox {
    /// A configuration for every provider of this sandbox: `shopify` (confidential), `shopify-public`, `bolt`, `bolt-pkce`,
    /// `bolt-sfcc` and `any`, with a store.
    ///
    /// - Parameters:
    ///   - redirectURI: Where callbacks are caught; it is registered at every client. One without port, as the default, gets a free
    ///     port from the loopback listener for every login.
    ///   - storePath: The path of the store's database.
    ///   - storeKey: The store's key, 64 hexadecimal digits; a random one unless given.
    /// - Returns: The configuration file and its environment variables.
    public func labConfiguration(
        redirectURI: String = "http://127.0.0.1/callback",
        storePath: String = "identity.sqlite",
        storeKey: String? = nil
    ) -> SandboxLabConfiguration {
        shopify.register(redirectURI: redirectURI)
        bolt.register(redirectURI: redirectURI)
        openID.register(redirectURI: redirectURI)
        func secret(_ name: String) -> JSONValue { .object(["env": .string(name)]) }
        var environment = ["IDENTITY_STORE_KEY": storeKey ?? RandomText.hexadecimal(64)]
        var providers = JSONObject()
        for (name, kind, client) in [
            ("shopify", SandboxShopifyClient.Kind.confidential, "confidential"),
            ("shopify-public", .publicMobile, "publicMobile"),
        ] {
            guard let registered = shopify.clients.first(where: { $0.kind == kind }) else { continue }
            var section = shopifySection(registered, client, redirectURI)
            if let value = registered.secret {
                environment["SHOPIFY_CLIENT_SECRET"] = value
                section["clientSecret"] = secret("SHOPIFY_CLIENT_SECRET")
            }
            providers[name] = .object(section)
        }
        environment["BOLT_API_KEY"] = bolt.configuration.apiKey
        for (name, usesPKCE) in [("bolt", false), ("bolt-pkce", true)] {
            var section = boltSection("bolt", authorization: bolt.authorizationEndpoint, redirectURI)
            section["apiKey"] = secret("BOLT_API_KEY")
            section["usePkce"] = .bool(usesPKCE)
            providers[name] = .object(section)
        }
        providers["bolt-sfcc"] = .object(sfccSection(redirectURI))
        var any: JSONObject = [
            "kind": .string("openid"), "issuer": .string(openID.issuer),
            "clientID": .string(openID.configuration.clientID), "redirectURI": .string(redirectURI),
            "scopes": .array(["openid", "email", "profile"].map { .string($0) }), "allowsLoopbackHTTP": .bool(true),
        ]
        if let value = openID.configuration.clientSecret {
            environment["OPENID_CLIENT_SECRET"] = value
            any["clientSecret"] = secret("OPENID_CLIENT_SECRET")
        }
        providers["any"] = .object(any)
        let root: JSONObject = [
            "providers": .object(providers),
            "store": .object(["path": .string(storePath), "key": secret("IDENTITY_STORE_KEY")]),
        ]
        return SandboxLabConfiguration(json: .object(root), environment: environment)
    }

    /// A shop domain for settings that want one; requests go to the overridden endpoints.
    package static let shopDomain = "sandbox.myshopify.com"

    private func shopifySection(
        _ registered: SandboxShopifyClient,
        _ client: String,
        _ redirectURI: String
    ) -> JSONObject {
        let endpoints: JSONObject = [
            "discovery": .string(shopOrigin + "/.well-known/openid-configuration"),
            "api": .string(shopify.endpoints.api),
        ]
        return [
            "kind": .string("shopify"), "shopDomain": .string(Self.shopDomain), "clientID": .string(registered.id),
            "client": .string(client), "redirectURI": .string(redirectURI),
            "issuers": .array([.string(shopify.issuer)]), "endpoints": .object(endpoints),
            "allowsLoopbackHTTP": .bool(true),
        ]
    }

    private func boltSection(_ kind: String, authorization: String, _ redirectURI: String) -> JSONObject {
        let endpoints: JSONObject = [
            "authorization": .string(authorization), "token": .string(bolt.tokenEndpoint),
            "jwks": .string(bolt.jwksEndpoint), "api": .string(bolt.origin),
        ]
        return [
            "kind": .string(kind), "environment": .string("sandbox"),
            "publishableKey": .string(bolt.configuration.publishableKey), "redirectURI": .string(redirectURI),
            "issuers": .array([.string(bolt.configuration.issuer)]), "endpoints": .object(endpoints),
            "allowsLoopbackHTTP": .bool(true),
        ]
    }

    private func sfccSection(_ redirectURI: String) -> JSONObject {
        let endpoints: JSONObject = [
            "authorization": .string(bolt.internalAuthorizationEndpoint),
            "codeExchange": .string(sfcc.codeExchangeURL), "tokenExchange": .string(sfcc.tokenExchangeURL),
        ]
        return [
            "kind": .string("bolt-sfcc"), "host": .string("shop.example"),
            "siteID": .string(sfcc.configuration.siteID),
            "publishableKey": .string(bolt.configuration.publishableKey), "redirectURI": .string(redirectURI),
            "endpoints": .object(endpoints), "allowsLoopbackHTTP": .bool(true),
        ]
    }
}
