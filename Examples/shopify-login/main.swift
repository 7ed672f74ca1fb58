// Signs a buyer in with Shopify Customer Accounts, fills a cart, checks out as a signed-in customer, and signs out.
//
//     shopify-login                    uses the embedded sandbox, and a robot as the buyer
//     shopify-login --config FILE      uses the provider "shopify" and the shop of the file, and your browser
//
// A server with this sign-in: twenty lines in Documentation/Using/DevelopmentServer.md, a whole shop in Examples/web-shop.

internal import ExampleSetup
internal import IdentityKit
internal import IdentitySQLite
internal import IdentitySetup
internal import ShopifyStorefront

func signInAndShop(_ example: ExampleSetup) async throws {
    // An app creates everything once, from one configuration file.
    let setup = try await IdentitySetup.open(example.configuration) { section in
        try await SQLiteStore.open(SQLiteStore.Configuration(section))
    }
    let (sessions, carts) = (setup.sessions, try setup.requireCarts())

    // When the buyer chooses "Sign in", the app redirects the browser to the login page and sets the binding as a cookie.
    let login = try await sessions.begin("shopify")
    print("→ Sign in at \(login.url)")
    let redirectURI = try sessions.descriptor(of: "shopify").redirectURI
    let callbackURL = try await example.visit(login.url, returningTo: redirectURI)

    // When Shopify redirects the browser back, the app passes the callback and the cookie, and gets a session.
    let callback = try LoginCallback(url: callbackURL)
    let binding = login.browserBinding
    let session = try await sessions.complete(callback, browserBinding: binding, provider: "shopify").session
    print("✓ Signed in: \(session.buyer.email?.value ?? session.buyer.subject), session \(session.id)")

    do {
        try await shop(session.id, sessions, carts, example)
    } catch {
        // An app keeps the session after an error. This program ends, so it signs the buyer out.
        _ = try? await sessions.logout(session.id)
        throw error
    }

    // The logout deletes the session, removes the buyer from the cart, and returns the provider's logout page.
    let logout = try await sessions.logout(session.id)
    print("✓ Signed out; logout page: \(logout.browserURL.map { "\($0)" } ?? "none")")
    for problem in logout.problems { print("! \(problem)") }
}

func shop(
    _ session: SessionID,
    _ sessions: SessionManager,
    _ carts: CartAdapter,
    _ example: ExampleSetup
) async throws {
    // Later requests need only the session id, which the app reads from its cookie. The token is refreshed when necessary.
    let tokens = try await sessions.tokens(for: session)
    print("✓ Access token: \(tokens.outcome.rawValue), \(tokens.tokens.accessToken)")
    let profile = try await sessions.buyerProfile(for: session)
    print("✓ Profile: \(profile.displayName ?? "no name"), \(profile.addresses.count) addresses")

    // The cart has the customer's token from the first line on, so that checkout opens signed in.
    let line = CartLineInput(merchandiseID: try await example.variant(in: carts.client), quantity: 1)
    let cart = try await carts.add([line], for: session, in: example.buyer)
    print("✓ Cart: \(cart.cart.totalQuantity) items")
    let checkout = try await carts.checkout(for: session, in: example.buyer)
    print("✓ Checkout as \(checkout.identity): \(checkout.url.reveal())")
}

await ExampleSetup.main("shopify-login", signInAndShop)
