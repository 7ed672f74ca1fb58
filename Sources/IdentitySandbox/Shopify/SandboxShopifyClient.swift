/// A client that is registered at the sandbox's Shopify.
public struct SandboxShopifyClient: Sendable, Equatable {
    /// The client types that Shopify supports.
    public enum Kind: Sendable, Equatable {
        /// Public, in a native app: PKCE, no secret.
        case publicMobile
        /// Public, in a browser: PKCE, no secret, and an `Origin` header at the token endpoint and at the Customer Account API.
        case publicWeb
        /// With a secret, sent by HTTP Basic.
        case confidential
        /// A Partner app's client: PKCE, and no refresh tokens.
        case app
    }

    /// The client id.
    public var id: String
    /// The type.
    public var kind: Kind
    /// The secret of a confidential client.
    public var secret: String?
    /// The registered redirect URIs.
    ///
    /// The sandbox compares URIs byte for byte. Only the port of a loopback URI (`http://127.0.0.1` or `http://[::1]`) may differ.
    public var redirectURIs: [String]
    /// The registered JavaScript origins of a public web client.
    public var javaScriptOrigins: [String]
    /// The registered logout URIs, compared like ``redirectURIs``; the first is the default, except for ``Kind/publicMobile``.
    public var logoutURIs: [String]
    /// Whether the client may use loopback URIs as redirect URIs, logout URIs and JavaScript origins; by default true.
    ///
    /// Shopify accepts no loopback URIs, but tests need them.
    public var allowsLoopback: Bool

    /// Creates a client.
    public init(
        id: String,
        kind: Kind,
        secret: String? = nil,
        redirectURIs: [String] = [],
        javaScriptOrigins: [String] = [],
        logoutURIs: [String] = [],
        allowsLoopback: Bool = true
    ) {
        self.id = id
        self.kind = kind
        self.secret = secret
        self.redirectURIs = redirectURIs
        self.javaScriptOrigins = javaScriptOrigins
        self.logoutURIs = logoutURIs
        self.allowsLoopback = allowsLoopback
    }
}

extension SandboxShopifyClient {
    /// The default confidential client.
    ///
    /// Form-encoding does not change the client's secret, as with Shopify's real secrets; see ``specialSecret``.
    public static let confidential = SandboxShopifyClient(
        id: "3f1c2a90-7c54-4e2b-9d0e-5a1b6c7d8e01",
        kind: .confidential,
        secret: "shpss_sandbox_5d1f0c7a9b3e4286",
        redirectURIs: appRedirectURIs + RedirectRule.loopback,
        logoutURIs: ["https://app.example/signed-out"] + RedirectRule.loopback
    )

    /// Whether a request has the `Origin` header that a public web client must send; true for every other client.
    func permitsOrigin(of request: SandboxRequest) -> Bool {
        let origin = request.header("origin") ?? ""
        return kind != .publicWeb || permits(origin, in: javaScriptOrigins)
    }

    func permits(_ uri: String, in registered: [String]) -> Bool {
        RedirectRule.permits(uri, registered: registered, allowsLoopback: allowsLoopback)
    }

    /// A client secret with characters that form-encoding changes.
    ///
    /// Shopify does not form-decode the id and secret of HTTP Basic, so a client that form-encodes them fails with this secret.
    public static let specialSecret = "shpss-sandbox+secret/with=signs&more"

    private static let appRedirectURIs = ["https://app.example/callback", "https://app.example/callback/shopify"]

    /// The default public client of a native app.
    public static let publicMobile = SandboxShopifyClient(
        id: "3f1c2a90-7c54-4e2b-9d0e-5a1b6c7d8e02",
        kind: .publicMobile,
        redirectURIs: ["shop.82920341806.app://callback"] + RedirectRule.loopback,
        logoutURIs: RedirectRule.loopback
    )

    /// The default public client of a web page.
    public static let publicWeb = SandboxShopifyClient(
        id: "3f1c2a90-7c54-4e2b-9d0e-5a1b6c7d8e03",
        kind: .publicWeb,
        redirectURIs: appRedirectURIs + RedirectRule.loopback,
        javaScriptOrigins: ["https://app.example", "http://127.0.0.1", "http://[::1]"],
        logoutURIs: ["https://app.example/signed-out"] + RedirectRule.loopback
    )

    /// The default client of a Partner app.
    public static let app = SandboxShopifyClient(
        id: "9c5b94b1a2d34e5f8a7b6c5d4e3f2a10",
        kind: .app,
        redirectURIs: appRedirectURIs + RedirectRule.loopback
    )
}
