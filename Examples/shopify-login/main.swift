// Signs a buyer in with Shopify Customer Accounts, fills a cart, checks out as a signed-in customer, and signs out.
//
//     shopify-login                    uses the embedded sandbox, and a robot as the buyer
//     shopify-login --config FILE      uses the configured shop, and your browser

internal import ExampleSetup
internal import Glibc
internal import IdentityHTTP
internal import IdentityKit
internal import IdentitySQLite
internal import IdentityShopify
internal import ShopifyStorefront

func signInAndShop(_ setup: ExampleSetup) async throws {
    // An app creates these once: providers, sessions, carts.
    let environment = IdentityEnvironment(transport: try CurlTransport())
    let shopify = try setup.provider(from: ShopifyProviderFactory(), in: environment)
    let store = try await SQLiteStore.open(try setup.store())
    let sessions = SessionManager(
        providers: try ProviderRegistry([shopify]),
        store: store,
        environment: environment
    )
    let storefront = StorefrontClient(configuration: try setup.storefront(), environment: environment)
    let carts = CartAdapter(client: storefront, sessions: sessions, store: store)
    let buyer = StorefrontContext(buyerIP: "203.0.113.7")

    // When the buyer chooses "Sign in", the app redirects the browser to the login page and sets the binding as a cookie.
    let login = try await sessions.begin(shopify.descriptor.name)
    print("→ Sign in at \(login.url)")
    let callbackURL = try await setup.visit(login.url, returningTo: shopify.descriptor.redirectURI)

    // When Shopify redirects the browser back, the app passes the callback and the cookie, and gets a session.
    let callback = try LoginCallback(url: callbackURL)
    let session = try await sessions.complete(callback, browserBinding: login.browserBinding).session
    print("✓ Signed in: \(session.buyer.email?.value ?? session.buyer.subject), session \(session.id)")

    // From now on the app needs only the session id, from its cookie. The token is refreshed when necessary.
    let tokens = try await sessions.tokens(for: session.id)
    print("✓ Access token: \(tokens.outcome.rawValue), \(tokens.tokens.accessToken)")
    let profile = try await sessions.buyerProfile(for: session.id)
    print("✓ Profile: \(profile.displayName ?? "no name"), \(profile.addresses.count) addresses")

    // The cart has the customer's token from the first line on, so that checkout opens signed in.
    let mug = CartLineInput(merchandiseID: "gid://shopify/ProductVariant/1", quantity: 2)
    let cart = try await carts.add([mug], for: session.id, in: buyer)
    print("✓ Cart: \(cart.cart.totalQuantity) items")
    let checkout = try await carts.checkout(for: session.id, in: buyer)
    print("✓ Checkout as \(checkout.identity): \(checkout.url.reveal())")

    // The logout deletes the session, removes the buyer from the cart, and returns the provider's logout page.
    let logout = try await sessions.logout(session.id)
    print("✓ Signed out; logout page: \(logout.browserURL.map { "\($0)" } ?? "none")")
    for problem in logout.problems { print("! \(problem)") }
}

do {
    let setup = try await ExampleSetup(program: "shopify-login")
    try await setup.use(signInAndShop)
} catch {
    print("✗ \(error)")
    exit(1)
}
