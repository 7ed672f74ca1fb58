// Signs a buyer in with Bolt through the façade that has the names of Bolt's documentation, fills a cart, checks out with the
// buyer's contact and address filled in, and signs out.
//
//     bolt-login                    uses the embedded sandbox, and a robot as the buyer
//     bolt-login --config FILE      uses the provider "bolt" and the shop of the file, and your browser

internal import ExampleSetup
internal import IdentityBolt
internal import IdentityKit
internal import IdentitySQLite
internal import IdentitySetup
internal import ShopifyStorefront

/// Receives the result of a login, as in Bolt's mobile SDK; a completion closure can receive it too, and `await` returns it.
final class LoginScreen: BoltLoginDelegate {
    func onLoginSuccess(authCode: String, codeVerifier: String, state: String) {
        print("✓ Delegate: signed in, with a code of \(authCode.count) characters")
    }

    func onLoginError(errorReason: String) {
        print("✗ Delegate: \(errorReason)")
    }

    func onLoginCancel() {
        print("✗ Delegate: the buyer closed the page")
    }
}

func signInAndShop(_ example: ExampleSetup) async throws {
    // An app creates everything once, from one configuration file.
    let setup = try await IdentitySetup.open(example.configuration) { section in
        try await SQLiteStore.open(SQLiteStore.Configuration(section))
    }
    let (sessions, carts) = (setup.sessions, try setup.requireCarts())
    guard let bolt = try setup.providers.provider(named: "bolt") as? any BoltAuthorizing else {
        throw IdentityError(
            .configuration,
            .configurationInvalid,
            "The provider \"bolt\" of the configuration is not of kind bolt or bolt-sfcc.",
            hint: "Set providers.bolt.kind to bolt or bolt-sfcc."
        )
    }

    // The names and signatures of Bolt's documentation. The presenter shows the login page, as Bolt's SDK does on a phone.
    BoltCheckout.configure(provider: bolt, presenter: try example.presenter(for: bolt.descriptor.redirectURI))

    // A backend with an API key needs no PKCE, and BoltLoginConfig() uses none. A client without an API key must set "usePkce" to true.
    var section = example.configuration.providers.first { $0.name == bolt.descriptor.name }?.section
    let loginConfig = BoltLoginConfig(usePkce: try section?.bool("usePkce", default: false) ?? false)

    // Sign in with a delegate …
    let screen = LoginScreen()
    await BoltCheckout.shared.startLogin(loginConfig: loginConfig, delegate: screen).finished()

    // … or with await. The code is valid for five minutes and one exchange.
    let result = await BoltCheckout.shared.startLogin(loginConfig: loginConfig)
    switch result {
    case .completed: print("✓ Signed in at Bolt")
    case .canceled: throw CancellationError()
    case .failed(let error): throw error
    }

    // Exchange the code for a session: the ID token is verified and the tokens are stored encrypted.
    let session = try await sessions.establish(try await bolt.exchange(result), provider: bolt.descriptor.name)
    print("✓ Session \(session.id) of \(session.buyer.email?.value ?? session.buyer.subject)")
    do {
        try await shop(session.id, sessions, carts, example)
    } catch {
        // An app keeps the session after an error. This program ends, so it signs the buyer out.
        _ = try? await sessions.logout(session.id)
        throw error
    }

    // The logout deletes the session and removes the buyer from the cart. Bolt has no logout page for servers.
    let logout = try await sessions.logout(session.id)
    BoltCheckout.shared.logOut()
    print("✓ Signed out")
    for problem in logout.problems { print("! \(problem)") }
}

func shop(
    _ session: SessionID,
    _ sessions: SessionManager,
    _ carts: CartAdapter,
    _ example: ExampleSetup
) async throws {
    let tokens = try await sessions.tokens(for: session)
    print("✓ Access token: \(tokens.outcome.rawValue), \(tokens.tokens.accessToken)")

    // Bolt's buyers have no Shopify login: the cart gets their contact and address, and prefills a guest checkout.
    let line = CartLineInput(merchandiseID: try await example.variant(in: carts.client), quantity: 1)
    let cart = try await carts.add([line], for: session, in: example.buyer)
    print("✓ Cart: \(cart.cart.totalQuantity) items")
    let checkout = try await carts.checkout(for: session, in: example.buyer)
    print("✓ Checkout as \(checkout.identity): \(checkout.url.reveal())")
}

await ExampleSetup.main("bolt-login", signInAndShop)
