// Signs a buyer in with Shopify Customer Accounts, fills a cart, checks out as a signed-in customer, signs out.
//
//     shopify-login                    against the embedded sandbox, with a robot in place of the buyer
//     shopify-login --config FILE      against the shop that the file describes, with you in place of the buyer

internal import Glibc
internal import IdentityHTTP
internal import IdentityKit
internal import IdentitySQLite
internal import ShopifyStorefront

func signInAndShop(_ setup: Setup) async throws {
    // What an app makes once and keeps: providers, sessions, carts.
    let environment = IdentityEnvironment(transport: try CurlTransport())
    let shopify = try setup.provider(in: environment)
    let store = try await SQLiteStore.open(try setup.store())
    let sessions = SessionManager(
        providers: try ProviderRegistry([shopify]),
        store: store,
        environment: environment
    )
    let storefront = StorefrontClient(configuration: try setup.storefront(), environment: environment)
    let carts = CartAdapter(client: storefront, sessions: sessions, store: store)
    let buyer = StorefrontContext(buyerIP: "203.0.113.7")

    // The buyer presses "Sign in": the app redirects the browser to the login page and sets the binding as a cookie.
    let login = try await sessions.begin(shopify.descriptor.name)
    print("→ Sign in at \(login.url)")
    let callbackURL = try await setup.visit(login.url, returningTo: shopify.descriptor.redirectURI)

    // Shopify sends the browser back: the app hands over the callback and the cookie, and gets a session.
    let callback = try LoginCallback(url: callbackURL)
    let session = try await sessions.complete(callback, browserBinding: login.browserBinding).session
    print("✓ Signed in: \(session.buyer.email?.value ?? session.buyer.subject), session \(session.id)")

    // From now on the id in the app's cookie is enough: there is always a valid token, renewed when needed.
    let tokens = try await sessions.tokens(for: session.id)
    print("✓ Access token: \(tokens.outcome.rawValue), \(tokens.tokens.accessToken)")
    let profile = try await sessions.buyerProfile(for: session.id)
    print("✓ Profile: \(profile.displayName ?? "no name"), \(profile.addresses.count) addresses")

    // The cart carries the customer's token from its first line on, and checkout opens signed in.
    let mug = CartLineInput(merchandiseID: "gid://shopify/ProductVariant/1", quantity: 2)
    let cart = try await carts.add([mug], for: session.id, in: buyer)
    print("✓ Cart: \(cart.cart.totalQuantity) items")
    let checkout = try await carts.checkout(for: session.id, in: buyer)
    print("✓ Checkout as \(checkout.identity): \(checkout.url.reveal())")

    // Signing out deletes the session, takes the buyer off the cart, and says where to send the browser.
    let logout = try await sessions.logout(session.id)
    print("✓ Signed out; browser to \(logout.browserURL.map { "\($0)" } ?? "nowhere")")
    for problem in logout.problems { print("! \(problem)") }
}

do {
    let setup = try await Setup()
    try await setup.use(signInAndShop)
} catch {
    print("✗ \(error)")
    exit(1)
}
