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
/// The buyer signs in at that provider first, with a provider of kind `openid`. The link then gives the **browser** a session at the
/// shop. The app gets no token and no callback, and does not learn whether the sign-in succeeded.
///
/// [Shopify's description](https://shopify.dev/docs/api/customer-authentication/single-sign-on) defines the link.
public struct ShopSignOnLink: Sendable {
    private let site: HTTPURL

    /// Prepares links to one shop.
    ///
    /// - Parameters:
    ///   - shopDomain: The shop's domain in the buyer's browser, from the app's configuration and never from a request: a host name
    ///     without scheme, port and path.
    ///   - allowsLoopbackHTTP: Permits plain http to 127.0.0.1 and [::1], for tests on one machine.
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

    /// The link for a buyer, for a redirect of the buyer's browser.
    ///
    /// - Parameters:
    ///   - buyer: The buyer whom the shop's provider has signed in. The verified e-mail address becomes `login_hint`.
    ///   - path: The page that the shop shows afterwards: a path of the shop. `ReturnPathPolicy.pathsOnly` checks it.
    /// - Returns: The link. It contains the e-mail address, so do not log it.
    /// - Throws: `IdentityError` with code `IdentityError.Code.invalidRequest` for a buyer without a verified e-mail address or if the
    ///   link would be too long, and with `IdentityError.Code.returnPathRefused` for anything but a path.
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
            throw Self.refused("The single sign-on link is too long.", "Pass a shorter return path.")
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
