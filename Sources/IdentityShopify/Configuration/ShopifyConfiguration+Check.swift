internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC
internal import ShopifyGraphQL

extension ShopifyProvider.Configuration {
    /// Without this check, Shopify would report most problems only at a login, on a page that the buyer sees.
    func check() throws(ShopifyConfigurationProblem) {
        guard !clientID.isEmpty, clientID.utf8.allSatisfy(ASCII.isVisible) else {
            throw ShopifyConfigurationProblem(
                member: "clientID",
                problem: "is empty or contains a space, a control character or a character outside ASCII",
                hint:
                    "Copy clientID from the Customer Account API settings of the Headless or Hydrogen channel. For a client of type app, "
                    + "copy clientID from the app's settings at Shopify."
            )
        }
        if let shopID, !ShopifyIssuer.isShopID(shopID) {
            throw ShopifyConfigurationProblem(
                member: "shopID",
                problem: "is not a shop id, which has only digits and does not begin with zero",
                hint:
                    "Set shopID to the digits at the end of the shop's issuer, https://shopify.com/authentication/{shop id}."
            )
        }
        try checkSource()
        guard issuers?.isEmpty != true else {
            throw ShopifyConfigurationProblem(
                member: "issuers",
                problem: "is an empty list",
                hint: "Leave issuers out to accept Shopify's own issuer, or list the issuers of your sandbox."
            )
        }
        guard ShopifyEndpointHosts.isValid(endpointHosts) else {
            throw ShopifyConfigurationProblem(
                member: "endpointHosts",
                problem: "must be a list of one or more host names",
                hint:
                    "Write host names only, for example [\"shopify.com\", \"account.brand.example\"], or remove endpointHosts."
            )
        }
        guard scopes.contains(where: { $0.isIdentical(to: "openid") }) else { throw Self.missingOpenID }
        guard ShopifyAPIVersion.isVersion(apiVersion) else {
            throw ShopifyConfigurationProblem(
                member: "apiVersion",
                problem: "is not a version",
                hint: "Write apiVersion as Shopify does, for example 2026-10, or unstable."
            )
        }
        try checkClient()
        if let redirectURI {
            try checkRedirect(redirectURI)
        } else if case .publicMobile = client {
            // A mobile client has a default redirect URI, with the shop id of the configuration or of the discovered issuer.
        } else {
            throw ShopifyConfigurationProblem(
                member: "redirectURI",
                problem: "is missing",
                hint: "Register an https redirect URI of your app at Shopify, and set redirectURI to exactly this URI."
            )
        }
    }

    static var missingOpenID: ShopifyConfigurationProblem {
        ShopifyConfigurationProblem(
            member: "scopes",
            problem: "must contain openid",
            hint: "Add openid to scopes: without openid, Shopify sends no ID token, and the buyer is unknown."
        )
    }

    /// Checks that the SDK can find the shop's endpoints, that the configured URLs are secure, and that the accepted issuer is known.
    private func checkSource() throws(ShopifyConfigurationProblem) {
        if shopDomain != nil {
            guard domain != nil else { throw ShopifyConfigurationProblem.shopDomain }
        } else if shopID == nil, endpoints.discovery == nil, !endpoints.isComplete {
            throw ShopifyConfigurationProblem(
                member: "shopDomain",
                problem: "is missing",
                hint: "Set shopDomain to the shop's domain, such as example.myshopify.com."
            )
        }
        if endpoints.isComplete, endpoints.discovery == nil, shopID == nil, issuers == nil {
            throw ShopifyConfigurationProblem(
                member: "shopID",
                problem: "is missing, and issuers is not set either",
                hint:
                    "Set shopID, or set issuers for a sandbox. Because endpoints contains authorization, token and jwks, the SDK does not "
                    + "use discovery, and needs one of these members to know which issuer's tokens to accept."
            )
        }
        for url in endpoints.all.compactMap(\.self) where !url.isSecure(orLoopback: allowsLoopbackHTTP) {
            throw ShopifyConfigurationProblem(
                member: "endpoints",
                problem: "must not contain \(url), which is not https",
                hint: IdentityError.httpsHint
            )
        }
    }

    private func checkClient() throws(ShopifyConfigurationProblem) {
        switch client {
        case .publicMobile, .app: return
        case .confidential(let secret):
            guard !secret.isEmpty else {
                throw ShopifyConfigurationProblem(
                    member: "clientSecret",
                    problem: "is empty",
                    hint: "Copy clientSecret from the client's settings at Shopify."
                )
            }
        case .publicWeb(let origin):
            guard let url = HTTPURL(serializedOrigin: origin), url.isSecure(orLoopback: allowsLoopbackHTTP) else {
                throw ShopifyConfigurationProblem(
                    member: "origin",
                    problem: "is not an https origin in the form that browsers send",
                    hint:
                        "If origin is not set, correct redirectURI, from which the SDK takes the origin. Otherwise write origin in lower "
                        + "case, for example https://app.example, without a trailing slash and without :443. Register the origin at "
                        + "Shopify under JavaScript origins."
                )
            }
        }
    }

    /// Checks that a redirect URI has the form that Shopify permits for a client of this type.
    ///
    /// With ``allowsLoopbackHTTP``, http to a loopback address or to `localhost` is accepted too, although Shopify does not permit it.
    func checkRedirect(_ redirectURI: String) throws(ShopifyConfigurationProblem) {
        if allowsLoopbackHTTP, ShopifyURLs.isLoopbackRedirect(redirectURI) { return }
        if case .publicMobile = client {
            guard ShopifyURLs.isMobileRedirect(redirectURI, shopID: shopID) else {
                let example = ShopifyURLs.mobileRedirect(shopID ?? "{shop id}")
                throw ShopifyConfigurationProblem(
                    member: "redirectURI",
                    problem: "is not a redirect URI of this shop's mobile clients",
                    hint: "Register \(example) at Shopify, and set redirectURI to exactly this URI. "
                        + "Shopify accepts only schemes that start with \"shop.\(shopID ?? "{shop id}").\"."
                )
            }
            return
        }
        guard let url = try? HTTPURL(redirectURI), url.isSecure else {
            let path = (try? HTTPURL(redirectURI))?.path ?? "/callback"
            throw ShopifyConfigurationProblem(
                member: "redirectURI",
                problem: "is not an https URL without user information and fragment",
                hint:
                    "Register https://{your domain}\(path) at Shopify, and set redirectURI to exactly this URI. In development, use a "
                    + "tunnel that has an https domain: Shopify accepts only https, and no localhost."
            )
        }
    }
}

extension ShopifyConfigurationProblem {
    static let shopDomain = ShopifyConfigurationProblem(
        member: "shopDomain",
        problem: "is not a bare domain name",
        hint:
            "Set shopDomain to the domain name alone, for example your-shop.myshopify.com, without https://, port and path."
    )
}
