internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

extension ShopifyProvider.Configuration {
    /// Finds what cannot work at Shopify before a buyer does: most of it Shopify answers with a page that no app ever sees.
    func check() throws(ConfigurationProblem) {
        guard !clientID.isEmpty, clientID.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ConfigurationProblem(
                member: "clientID",
                problem: "is empty or holds a space or control character",
                hint: "Copy it from the Customer Account API settings of the Headless or Hydrogen channel."
            )
        }
        if let shopID { try Self.check(shopID: shopID) }
        try checkSource()
        guard issuers?.isEmpty != true else {
            throw ConfigurationProblem(
                member: "issuers",
                problem: "is empty",
                hint: "Leave it out to accept Shopify's own issuer."
            )
        }
        guard endpointHosts?.isEmpty != true, endpointHosts?.allSatisfy({ EndpointHosts.host($0) != nil }) ?? true
        else {
            throw ConfigurationProblem(
                member: "endpointHosts",
                problem: "must be a list of host names",
                hint: "Write names alone, for example [\"shopify.com\", \"account.brand.example\"], or leave it out."
            )
        }
        guard scopes.contains(where: { $0.isIdentical(to: "openid") }) else { throw Self.missingOpenID }
        guard ShopifyURLs.isVersion(apiVersion) else {
            throw ConfigurationProblem(
                member: "apiVersion",
                problem: "is not a version",
                hint: "Write it as Shopify does, for example 2026-10, or unstable."
            )
        }
        try checkClient()
        if let redirectURI {
            try checkRedirect(redirectURI)
        } else if case .publicMobile = client {
            // The default is made of the shop's id, which discovery tells where it is not configured.
        } else {
            throw ConfigurationProblem(
                member: "redirectURI",
                problem: "is missing",
                hint: "Register an https URL of your app at Shopify and write the same here."
            )
        }
    }

    static var missingOpenID: ConfigurationProblem {
        ConfigurationProblem(
            member: "scopes",
            problem: "do not hold openid",
            hint: "Without it Shopify sends no ID token, and nothing says who signed in."
        )
    }

    private static func check(shopID: String) throws(ConfigurationProblem) {
        guard ShopifyIssuer.isShopID(shopID) else {
            throw ConfigurationProblem(
                member: "shopID",
                problem: "is not a number of a shop",
                hint: "Write the digits only, as in https://shopify.com/authentication/{shop id}."
            )
        }
    }

    /// Something must say where the endpoints are.
    private func checkSource() throws(ConfigurationProblem) {
        if let shopDomain {
            guard ShopifyURLs.site(shopDomain, allowsLoopbackHTTP: allowsLoopbackHTTP) != nil else {
                throw ConfigurationProblem(
                    member: "shopDomain",
                    problem: "is not a bare domain name",
                    hint: "Write for example your-shop.myshopify.com, without https:// and without a path."
                )
            }
        } else if shopID == nil, endpoints.discovery == nil, !endpoints.isWhole {
            throw ConfigurationProblem(
                member: "shopDomain",
                problem: "is missing",
                hint: "Write the shop's myshopify.com name."
            )
        }
        for url in endpoints.all.compactMap(\.self) where !url.isSecure && !(allowsLoopbackHTTP && url.isLoopback) {
            throw ConfigurationProblem(
                member: "endpoints",
                problem: "hold \(url), which is not https",
                hint: "For tests on one machine, allowsLoopbackHTTP permits http to 127.0.0.1 and [::1]."
            )
        }
    }

    private func checkClient() throws(ConfigurationProblem) {
        switch client {
        case .publicMobile, .app: return
        case .confidential(let secret):
            guard !secret.isEmpty else {
                throw ConfigurationProblem(
                    member: "clientSecret",
                    problem: "is empty",
                    hint: "Copy it from the client's settings at Shopify."
                )
            }
        case .publicWeb(let origin):
            guard let url = try? HTTPURL(origin), url.origin.isIdentical(to: origin),
                url.isSecure || (allowsLoopbackHTTP && url.isLoopback)
            else {
                throw ConfigurationProblem(
                    member: "origin",
                    problem: "is not an https origin",
                    hint: "Write it as a browser does, https://app.example, without a slash at the end, "
                        + "and register it at Shopify under JavaScript origins."
                )
            }
        }
    }

    /// Checks a redirect URI against what Shopify lets a client of this type register.
    func checkRedirect(_ redirectURI: String) throws(ConfigurationProblem) {
        if allowsLoopbackHTTP, ShopifyURLs.isLoopbackRedirect(redirectURI) { return }
        if case .publicMobile = client {
            guard ShopifyURLs.isMobileRedirect(redirectURI, shopID: shopID) else {
                let example = ShopifyURLs.mobileRedirect(shopID ?? "{shop id}")
                throw ConfigurationProblem(
                    member: "redirectURI",
                    problem: "has not the scheme of this shop's mobile clients",
                    hint: "Register \(example) at Shopify and write the same here; "
                        + "only schemes that begin shop.\(shopID ?? "{shop id}"). are taken."
                )
            }
            return
        }
        guard let url = try? HTTPURL(redirectURI), url.isSecure else {
            let path = (try? HTTPURL(redirectURI))?.path ?? "/callback"
            throw ConfigurationProblem(
                member: "redirectURI",
                problem: "is not an https URL without a fragment",
                hint:
                    "Shopify takes https only, and no localhost: register https://{your domain}\(path) and write the same "
                    + "here. In development a tunnel gives a laptop such a domain."
            )
        }
    }
}
