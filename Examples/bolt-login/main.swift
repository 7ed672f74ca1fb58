// Signs a buyer in with Bolt through the facade that reads like Bolt's own pages, fills a cart, checks out with the buyer's
// contact and address filled in, signs out.
//
//     bolt-login                    against the embedded sandbox, with a robot in place of the buyer
//     bolt-login --config FILE      against the Bolt that the file describes, with your browser in place of the robot

internal import Glibc
internal import IdentityBolt
internal import IdentityHTTP
internal import IdentityKit
internal import IdentitySQLite
internal import ShopifyStorefront

/// Is told how a login ended, as on a phone; a completion closure or `await` does the same.
final class LoginScreen: BoltLoginDelegate {
    func onLoginSuccess(authCode: String, codeVerifier: String, state: String) {
        print("✓ Delegate: signed in, a code of \(authCode.count) characters")
    }

    func onLoginError(errorReason: String) {
        print("✗ Delegate: \(errorReason)")
    }

    func onLoginCancel() {
        print("✗ Delegate: the buyer closed the page")
    }
}

func signInAndShop(_ setup: Setup) async throws {
    // What an app makes once and keeps: providers, sessions, carts.
    let environment = IdentityEnvironment(transport: try CurlTransport())
    let bolt = try setup.provider(in: environment)
    let store = try await SQLiteStore.open(try setup.store())
    let sessions = SessionManager(providers: try ProviderRegistry([bolt]), store: store, environment: environment)
    let storefront = StorefrontClient(configuration: try setup.storefront(), environment: environment)
    let carts = CartAdapter(client: storefront, sessions: sessions, store: store)
    let buyer = StorefrontContext(buyerIP: "203.0.113.7")

    // Bolt's names and call shapes. A presenter shows what Bolt's SDK shows on a phone.
    BoltCheckout.configure(provider: bolt, presenter: try setup.presenter())

    // With a delegate …
    let screen = LoginScreen()
    await BoltCheckout.shared.startLogin(loginConfig: BoltLoginConfig(usePkce: true), delegate: screen).finished()

    // … or with await. The code is good for five minutes and one exchange.
    let result = await BoltCheckout.shared.startLogin(loginConfig: BoltLoginConfig(usePkce: true))
    switch result {
    case .completed: print("✓ Signed in at Bolt")
    case .canceled: return print("✗ The buyer closed the page")
    case .failed(let error): throw error
    }

    // From code to session: the ID token is verified, the tokens are stored encrypted.
    let session = try await sessions.establish(try await bolt.exchange(result), provider: bolt.descriptor.name)
    print("✓ Session \(session.id) of \(session.buyer.email?.value ?? session.buyer.subject)")
    let tokens = try await sessions.tokens(for: session.id)
    print("✓ Access token: \(tokens.outcome.rawValue), \(tokens.tokens.accessToken)")

    // Shopify does not know Bolt's buyers: the cart gets their contact and address, and checkout is a prefilled guest's.
    let mug = CartLineInput(merchandiseID: "gid://shopify/ProductVariant/1", quantity: 2)
    let cart = try await carts.add([mug], for: session.id, in: buyer)
    print("✓ Cart: \(cart.cart.totalQuantity) items")
    let checkout = try await carts.checkout(for: session.id, in: buyer)
    print("✓ Checkout as \(checkout.identity): \(checkout.url.reveal())")

    // Bolt has no logout page for servers: the session goes, the cart forgets the buyer.
    let logout = try await sessions.logout(session.id)
    BoltCheckout.shared.logOut()
    print("✓ Signed out")
    for problem in logout.problems { print("! \(problem)") }
}

do {
    let setup = try await Setup()
    try await setup.use(signInAndShop)
} catch {
    print("✗ \(error)")
    exit(1)
}
