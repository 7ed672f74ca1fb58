public import IdentityKit

/// A configuration file with which an app uses the providers of a running sandbox.
public struct SandboxLabConfiguration: Sendable, Equatable {
    /// The JSON that `identity-lab --config` and `IdentityConfiguration` read.
    public let json: JSONValue
    /// The environment variables that contain the file's secrets.
    public let environment: [String: String]

    package init(json: JSONValue, environment: [String: String]) {
        self.json = json
        self.environment = environment
    }

    /// The file as indented text.
    public var text: String { Self.indented(json, "") + "\n" }

    /// A line `export NAME='value'` for each variable, for a shell.
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
    /// Creates a configuration with a store and with all providers of this sandbox: `shopify` (confidential), `shopify-public` (mobile),
    /// `shopify-web`, `bolt`, `bolt-pkce`, `bolt-sfcc` and `any`, the OpenID provider.
    ///
    /// A provider of Shopify is left out if no client of its kind is registered. If the first OpenID client must authenticate with a key,
    /// add `clientKey` to the provider `any`, because the sandbox knows the public key only. Add `clientKeyID` too if the registered key
    /// has a `kid`.
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI of every provider. It is registered at all clients of Shopify, at Bolt and at all OpenID clients.
    ///     If the first OpenID client has its own list of redirect URIs, nothing is registered at the OpenID clients. The provider `any`
    ///     then uses `redirectURI` if that list permits it, and otherwise the first URI of the list. For a loopback URI without a port,
    ///     the app's loopback listener chooses a free port for every login.
    ///   - storePath: The path of the store's database.
    ///   - storeKey: The store's key, 64 hexadecimal digits; by default random.
    /// - Returns: The configuration file and its environment variables.
    public func labConfiguration(
        redirectURI: String = "http://127.0.0.1/callback",
        storePath: String = "identity.sqlite",
        storeKey: String? = nil
    ) -> SandboxLabConfiguration {
        makeConfiguration(storePath, storeKey, isApp: false) { _ in redirectURI }
    }

    /// Creates a configuration for a web app with the routes of `IdentityWeb` at `/auth`.
    ///
    /// The providers are `shopify`, `bolt`, `bolt-sfcc`, `any` and `any-form-post`, each with the redirect URI
    /// `<app>/auth/callback/<name>`. `shopify` is left out if Shopify has no confidential client. `any-form-post` is left out if the OpenID
    /// provider does not serve the response mode `form_post`.
    ///
    /// This method registers the redirect URIs at the providers, and `<app>/auth/logout/done` as a post-logout redirect URI at Shopify and
    /// at the OpenID provider. Every client may use these URIs, also an OpenID client with its own list of redirect URIs or logout URIs.
    ///
    /// - Parameters:
    ///   - app: The app's origin, for example `http://127.0.0.1:8080`.
    ///   - storePath: The path of the store's database.
    ///   - storeKey: The store's key, 64 hexadecimal digits; by default random.
    /// - Returns: The configuration file and its environment variables.
    public func labConfiguration(
        app: String,
        storePath: String = "identity.sqlite",
        storeKey: String? = nil
    ) -> SandboxLabConfiguration {
        shopify.register(logoutURI: app + "/auth/logout/done")
        openID.register(logoutURI: app + "/auth/logout/done")
        return makeConfiguration(storePath, storeKey, isApp: true) { "\(app)/auth/callback/\($0)" }
    }

    private func makeConfiguration(
        _ storePath: String,
        _ storeKey: String?,
        isApp: Bool,
        redirectURI: (_ provider: String) -> String
    ) -> SandboxLabConfiguration {
        func registered(_ provider: String) -> String {
            let uri = redirectURI(provider)
            shopify.register(redirectURI: uri)
            bolt.register(redirectURI: uri)
            if isApp { openID.register(redirectURI: uri) }
            return provider == "any" && !isApp ? openIDRedirectURI(uri) : uri
        }
        var environment: [String: String] = [:]
        func secret(_ name: String, _ value: String) -> JSONValue {
            environment[name] = value
            return .object(["env": .string(name)])
        }
        var providers = JSONObject()
        let shopifyClients: [(name: String, SandboxShopifyClient.Kind, client: String)] = [
            ("shopify", .confidential, "confidential"), ("shopify-public", .publicMobile, "publicMobile"),
            ("shopify-web", .publicWeb, "publicWeb"),
        ]
        for (name, kind, client) in isApp ? shopifyClients.prefix(1) : shopifyClients[...] {
            guard let known = shopify.clients.first(where: { $0.kind == kind }) else { continue }
            var section = shopifySection(known, client, registered(name))
            section["clientSecret"] = known.secret.map { secret("SHOPIFY_CLIENT_SECRET", $0) }
            // Without `origin`, the SDK would send the origin of the redirect URI, which may not be registered at the client.
            section["origin"] = known.javaScriptOrigins.first.map { .string($0) }
            providers[name] = .object(section)
        }
        for (name, usesPKCE) in [("bolt", false), ("bolt-pkce", true)] where !isApp || !usesPKCE {
            var section = boltSection(registered(name))
            section["apiKey"] = secret("BOLT_API_KEY", bolt.configuration.apiKey)
            section["usePkce"] = .bool(usesPKCE)
            providers[name] = .object(section)
        }
        providers["bolt-sfcc"] = .object(sfccSection(registered("bolt-sfcc")))
        var any: JSONObject = [
            "kind": .string("openid"), "issuer": .string(openID.issuer),
            "displayName": .string("OpenID"),
            "clientID": .string(openID.configuration.clientID), "redirectURI": .string(registered("any")),
            "scopes": .strings(["openid", "email", "profile"]), "allowsLoopbackHTTP": .bool(true),
        ]
        any["clientSecret"] = openID.configuration.clientSecret.map { secret("OPENID_CLIENT_SECRET", $0) }
        // A file with `"clientAuthentication": "private_key_jwt"` but without `clientKey` would be invalid.
        if let method = openID.configuration.clientAuthentication, method != .privateKeyJWT {
            any["clientAuthentication"] = .string(method.rawValue)
        }
        if openID.configuration.dpop == .required { any["dpop"] = .bool(true) }
        providers["any"] = .object(any)
        if isApp, openID.configuration.responseModes.contains("form_post") {
            any["redirectURI"] = .string(registered("any-form-post"))
            any["responseMode"] = .string("form_post")
            any["displayName"] = .string("OpenID, with a posted response")
            providers["any-form-post"] = .object(any)
        }
        let storeKey = secret("IDENTITY_STORE_KEY", storeKey ?? RandomText.hexadecimal(64))
        let root: JSONObject = [
            "providers": .object(providers), "store": .object(["path": .string(storePath), "key": storeKey]),
        ]
        return SandboxLabConfiguration(json: .object(root), environment: environment)
    }

    /// Returns the redirect URI of the provider `any`, and registers it if the first OpenID client has no own list of redirect URIs.
    private func openIDRedirectURI(_ wanted: String) -> String {
        let registered = openID.configuration.redirectURIs
        guard registered != SandboxOpenIDClient.usualRedirectURIs, let own = registered.first else {
            openID.register(redirectURI: wanted)
            return wanted
        }
        return RedirectRule.permits(wanted, registered: registered) ? wanted : own
    }

    /// The `shopDomain` of Shopify's providers: the configuration requires it, but the URLs in `endpoints` replace this domain.
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
            "issuers": .strings([shopify.issuer]), "endpoints": .object(endpoints),
            "allowsLoopbackHTTP": .bool(true),
        ]
    }

    private func boltSection(_ redirectURI: String) -> JSONObject {
        let endpoints: JSONObject = [
            "authorization": .string(bolt.authorizationEndpoint), "token": .string(bolt.tokenEndpoint),
            "jwks": .string(bolt.jwksEndpoint), "api": .string(bolt.origin),
        ]
        return [
            "kind": .string("bolt"), "environment": .string("sandbox"),
            "publishableKey": .string(bolt.configuration.publishableKey), "redirectURI": .string(redirectURI),
            "issuers": .strings([bolt.configuration.issuer]), "endpoints": .object(endpoints),
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
            "siteID": .string(sfcc.configuration.siteID), "displayName": .string("Bolt, with your store account"),
            "publishableKey": .string(bolt.configuration.publishableKey), "redirectURI": .string(redirectURI),
            "endpoints": .object(endpoints), "allowsLoopbackHTTP": .bool(true),
        ]
    }
}
