internal import Foundation
public import IdentityKit
public import IdentitySetup
public import IdentityWeb
internal import ShopifyCustomerAccount
internal import ShopifyStorefront

/// A whole web shop with catalogue, cart, sign-in, checkout and account: responds to requests, but contains no HTTP server.
///
/// ```swift
/// let shop = try await WebShop.open(try IdentityConfiguration(contentsOf: "identity.json"), publicOrigin: "https://shop.example")
/// let response = await shop.respond(to: request)
/// ```
public struct WebShop: Sendable {
    /// The sessions; a program must call `drain()` before it ends.
    public let sessions: SessionManager
    let carts: CartAdapter
    let storefront: StorefrontClient
    /// Profile, addresses and orders of Shopify's customers; nil without the section `customerAccount`.
    let customers: CustomerAccountClient?
    let facts: ShopFacts
    /// The routes of the sign-in.
    public let routes: SignInRoutes

    /// Opens the shop.
    ///
    /// - Parameters:
    ///   - setup: Everything that the shop uses, created once for the life of the process.
    ///   - publicOrigin: The origin under which browsers reach the shop.
    /// - Throws: `IdentityError` when the setup has no Storefront, when the origin is not valid, and when a provider's redirect URI is not
    ///   the address of its callback route.
    public init(_ setup: IdentitySetup, publicOrigin: String) throws(IdentityError) {
        sessions = setup.sessions
        carts = try setup.requireCarts()
        storefront = carts.client
        customers = setup.customerAccounts
        facts = ShopFacts(storefront, clock: setup.environment.clock)
        var configuration = SignInRoutes.Configuration(publicOrigin: publicOrigin)
        configuration.pages = ShopPages()
        routes = try SignInRoutes(sessions: sessions, carts: carts, configuration: configuration)
    }

    /// Returns the response to a request.
    public func respond(to request: WebRequest) async -> WebResponse {
        await routes.handle(request) { context in
            do {
                return try await page(context)
            } catch let problem as Notice {
                return try .redirect(to: Link.to(problem.page, ["notice": problem.text.rawValue]))
            }
        }
    }

    /// All pages except the sign-in pages.
    private func page(_ context: WebContext) async throws -> WebResponse {
        let request = context.request
        // Every POST changes something, so a POST from another site is refused.
        if request.method == .post { try context.refuseCSRF() }
        // HEAD gets the response to GET, and the server leaves out the body.
        switch (request.method == .head ? .get : request.method, request.path) {
        case (.get, "/style.css"): return Self.stylesheet
        case (.get, "/"): return try await products(context)
        case (.get, let path) where path.hasPrefix("/products/"):
            let handle = String(path.dropFirst("/products/".count))
            return try await product(handle.removingPercentEncoding ?? handle, context)
        case (.get, "/cart"): return try await cart(context)
        case (.post, "/cart/add"): return try await addToCart(context)
        case (.post, "/cart/update"): return try await updateCart(context)
        case (.post, "/checkout"): return try await checkout(context)
        case (.get, "/account"): return try await account(context)
        case (.post, "/account/profile"): return try await updateProfile(context)
        case (.post, "/account/addresses"): return try await addAddress(context)
        case (.post, "/account/address"): return try await changeAddress(context)
        case (.get, "/account/order"): return try await order(context)
        case (.post, "/account/sign-out-everywhere"): return try await signOutEverywhere(context)
        default: return try await notFound(context)
        }
    }

    /// The context of a Storefront call: Shopify expects the buyer's IP address with every call.
    func caller(_ context: WebContext) -> StorefrontContext {
        StorefrontContext(buyerIP: context.request.clientAddress)
    }
}

/// A sentence for the buyer after a change, and the page that shows it.
struct Notice: Error {
    enum Text: String {
        case refused, stock, saved, added

        var sentence: String {
            switch self {
            case .refused: "That was not possible. Please check what you entered."
            case .stock: "There are not that many left. Your cart contains all that are available."
            case .saved: "Saved."
            case .added: "Added to your cart."
            }
        }
    }

    let text: Text
    let page: String
}
