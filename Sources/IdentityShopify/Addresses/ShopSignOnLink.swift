public import IdentityHTTP
public import IdentityKit
internal import ShopifyGraphQL

/// Creates links that sign a buyer in to a shop's own pages, through the OpenID provider that the shop has connected (Shopify Plus).
///
/// ```swift
/// let link = try ShopSignOnLink(shopDomain: "shop.example")
/// redirect(to: try link.url(for: session.buyer, returningTo: "/collections/sale"))
/// ```
///
/// First the app signs the buyer in at the shop's OpenID provider, with `OpenIDProvider` (kind `openid`). Then it redirects the buyer's
/// browser to the link, and the shop signs the **browser** in. The app gets no token and no callback, and does not learn whether this
/// sign-in succeeded.
///
/// [Shopify's description](https://shopify.dev/docs/api/customer-authentication/single-sign-on) defines the link.
public struct ShopSignOnLink: Sendable {
    private let site: HTTPURL

    /// Creates a value that builds links to one shop.
    ///
    /// - Parameters:
    ///   - shopDomain: The domain at which buyers' browsers open the shop: a host name without scheme, port and path. Take it from the
    ///     app's configuration, never from an HTTP request.
    ///   - allowsLoopbackHTTP: Permits plain http to loopback addresses such as 127.0.0.1 and [::1], for tests on one machine.
    /// - Throws: `IdentityError` with code `IdentityError.Code.configurationInvalid` if `shopDomain` is not a bare domain name.
    public init(shopDomain: String, allowsLoopbackHTTP: Bool = false) throws(IdentityError) {
        guard let domain = ShopDomain(shopDomain, allowsLoopbackHTTP: allowsLoopbackHTTP) else {
            let problem = ShopifyConfigurationProblem.shopDomain
            throw IdentityError(
                configuration: "The single sign-on link's \(problem.member) \(problem.problem).",
                hint: problem.hint,
                reference: Self.reference
            )
        }
        site = domain.url
    }

    /// Creates the link to which the app redirects a buyer's browser.
    ///
    /// - Parameters:
    ///   - buyer: The buyer who has signed in at the shop's provider. The verified e-mail address becomes `login_hint`.
    ///   - path: The path of the shop's page that the browser shows after the sign-in. `ReturnPathPolicy.pathsOnly` checks it.
    /// - Returns: The link. It contains the e-mail address, so do not log it.
    /// - Throws: `IdentityError` with code `IdentityError.Code.invalidRequest` if the buyer has no verified e-mail address or the link
    ///   would be too long; with code `IdentityError.Code.returnPathRefused` if `ReturnPathPolicy.pathsOnly` refuses `path`.
    public func url(for buyer: Buyer, returningTo path: String = "/") throws(IdentityError) -> HTTPURL {
        guard let email = buyer.email, email.isVerified, !email.value.isEmpty else {
            throw Self.refused(
                "The buyer has no verified e-mail address, which Shopify's single sign-on link requires.",
                "Request the scope email, and use a provider that verifies addresses. An unverified address may be another person's."
            )
        }
        let location = try ReturnPathPolicy.pathsOnly.location(for: path)
        let query = FormEncoding.encode([("login_hint", email.value), ("return_to", location)])
        do {
            return try site.replacing(
                path: "/customer_authentication/login",
                query: String(decoding: query, as: UTF8.self)
            )
        } catch {
            throw Self.refused(
                "Shopify's single sign-on link would be too long.",
                "Check the buyer's e-mail address, which is very long. A shorter return path may also help."
            )
        }
    }

    private static func refused(_ message: String, _ hint: String) -> IdentityError {
        IdentityError(
            .rejected,
            .invalidRequest,
            message,
            hint: hint,
            reference: reference
        )
    }

    private static let reference = "https://shopify.dev/docs/api/customer-authentication/single-sign-on"
}
