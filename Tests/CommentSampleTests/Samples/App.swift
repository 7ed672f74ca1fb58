import IdentityHTTP
import IdentityKit
import IdentityStoreKit
import ShopifyStorefront

/// The app that the samples are part of.
///
/// It has the values that samples use without declaring them. Nothing creates it: the samples are compiled and do not run.
struct App: Sendable {
    let environment: IdentityEnvironment
    let providers: ProviderRegistry
    let store: any SessionStore
    let sessions: SessionManager
    let session: Session
    let storefront: StorefrontClient
    let clientID: String
    let clientSecret: Secret
    let publishableKey: String
    let apiKey: Secret
    let storeKey: StoreKey
    let storefrontToken: Secret
    let carts: CartAdapter
    let variant: String
    /// The address of the buyer's browser.
    let ip: String
}

/// A logger with the names of swift-log.
struct Logger: Sendable {
    enum Level { case debug, critical }

    func log(level: Level, _ message: String) {}
    func warning(_ message: String) {}
    func error(_ message: String) {}
    func critical(_ message: String) {}
}

/// The response of a server framework.
struct Redirecting {
    func redirect(to location: String) {}
}

func redirect(to location: some Sendable) {}
func redirectToLogin() {}
func respond(_ status: Int, retryAfter: Duration?) {}
func askForSecondFactor() {}
func placeOrder(with tokens: SessionTokens) async throws {}
func log(_ value: some Sendable) {}
func show(_ value: some Sendable) {}
func send(_ text: String) {}
