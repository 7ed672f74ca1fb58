import Foundation
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentitySQLite
import IdentitySandbox
import IdentityShopify
import IdentityStoreKit
import IdentityTesting
import ShopifyStorefront
import StorefrontSandbox
import TestDirectories
import TestDoubles

/// A sandbox with marked secrets and marked personal data of its buyer, and an app that uses it.
final class CanaryStage: Sendable {
    static let providers = ["shopify", "shopify-public", "bolt", "bolt-pkce", "bolt-sfcc", "any"]
    static let buyerIP = "203.0.113.177"

    let sandbox: ShopSandbox
    let canary = SecretCanary()
    private let directory: TemporaryDirectory
    var folder: URL { directory.url }
    let json: [UInt8]
    let variables: [String: String]
    let buyer: SandboxBuyer
    private let transport: CurlTransport

    init() async throws {
        var settings = SandboxConfiguration()
        let person = SandboxBuyerAccount(
            email: canary.plant("mail") + "@example.com",
            firstName: canary.plant("given"),
            lastName: canary.plant("family"),
            phone: "+14155550187",
            addresses: [
                .init(
                    street1: canary.plant("street"),
                    street2: canary.plant("floor"),
                    city: canary.plant("city"),
                    region: "New York",
                    regionCode: "NY",
                    postalCode: "10001-7391",
                    countryCode: "US"
                )
            ]
        )
        settings.buyers = [person]
        for text in [person.email, person.phone, "10001-7391", Self.buyerIP] { canary.watch(Secret(text)) }
        for index in settings.shopify.clients.indices where settings.shopify.clients[index].secret != nil {
            settings.shopify.clients[index].secret = canary.plant("client-secret+/=&%")
        }
        settings.bolt.apiKey = canary.plant("api-key+/=&")
        settings.openID.clientSecret = canary.plant("secret+/=&")
        var storefront = SandboxStorefrontConfiguration()
        storefront.privateToken = canary.plant("storefront")
        sandbox = try await ShopSandbox.start(settings, storefront: storefront)
        directory = try TemporaryDirectory("canary")
        let made = sandbox.labConfiguration(
            redirectURI: "http://127.0.0.1:49152/callback",
            storePath: directory.path(of: "identity.sqlite")
        )
        json = Self.patient(made.json).serialized
        variables = made.environment
        for value in variables.values { canary.watch(Secret(value)) }
        transport = try CurlTransport()
        buyer = SandboxBuyer(email: person.email, transport: transport)
    }

    /// The configuration with long timeouts of the providers, because a busy machine delays every response.
    private static func patient(_ json: JSONValue) -> JSONValue {
        guard var root = json.object, var providers = root["providers"]?.object else { return json }
        for (name, value) in providers.members {
            guard var entry = value.object else { continue }
            entry["timeout"] = .integer(60)
            providers[name] = .object(entry)
        }
        root["providers"] = .object(providers)
        return .object(root)
    }

    static func with(_ body: (CanaryStage) async throws -> Void) async throws {
        let stage = try await CanaryStage()
        try await cleaningUp(stage.close) { try await body(stage) }
    }

    private func close() async {
        await sandbox.stop()
        directory.remove()
    }

    /// Creates an app without cached data.
    func app(store: any SessionStore, witness: Witness) throws -> App {
        try App(self, store: store, witness: witness)
    }

    /// Watches a session id, also if only its beginning or its end is printed.
    func watch(_ id: SessionID) {
        for text in [id.rawValue, String(id.rawValue.prefix(8)), String(id.rawValue.suffix(8))] {
            canary.watch(Secret(text))
        }
    }

    func openStore() async throws -> SQLiteStore {
        let key = try StoreKey(hexadecimal: Secret(variables["IDENTITY_STORE_KEY"] ?? ""))
        return try await SQLiteStore.open(.init(path: directory.path(of: "identity.sqlite"), key: key))
    }

    func files() throws -> [(name: String, bytes: [UInt8])] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).map { name in
            (name, Array((try? Data(contentsOf: folder.appendingPathComponent(name))) ?? Data()))
        }
    }

    struct App: Sendable {
        let transport: WatchingTransport
        let providers: ProviderRegistry
        let sessions: SessionManager
        let carts: CartAdapter
        let storefront: StorefrontClient
        let stage: CanaryStage
        let witness: Witness

        fileprivate init(_ stage: CanaryStage, store: any SessionStore, witness: Witness) throws {
            self.stage = stage
            self.witness = witness
            transport = WatchingTransport(stage.transport, stage.canary)
            let environment = IdentityEnvironment(transport: transport)
            let configuration = try IdentityConfiguration(json: stage.json, environmentVariables: stage.variables)
            providers = try ProviderRegistry(
                configuration,
                factories: [
                    ShopifyProviderFactory(), BoltProviderFactory(), SFCCProviderFactory(), OpenIDProviderFactory(),
                ],
                environment: environment
            )
            sessions = SessionManager(
                providers: providers,
                store: store,
                environment: environment,
                observers: [witness]
            )
            guard let section = configuration.storefront else {
                throw IdentityError(.configuration, .configurationInvalid, "The sandbox has no storefront.")
            }
            storefront = StorefrontClient(
                configuration: try StorefrontConfiguration(section),
                environment: environment,
                observers: [witness]
            )
            carts = CartAdapter(client: storefront, sessions: sessions, store: store)
        }

        /// Signs in with two requests, like a web app.
        func login(_ provider: String, changing change: (String) -> String = { $0 }) async throws -> Session {
            var options = LoginOptions()
            options.loginHint = stage.buyer.email
            let started = try await sessions.begin(provider, options: options)
            stage.canary.watch(started.browserBinding)
            SecretsOnTheWire.learn(started.url.text, stage.canary)
            witness.see(started, "started login")
            let redirectURI = try sessions.descriptor(of: provider).redirectURI
            let url = change(try await stage.buyer.login(at: started.url.text, redirectURI: redirectURI))
            SecretsOnTheWire.learn(url, stage.canary)
            let callback = try LoginCallback(url: url)
            witness.see(callback, "callback")
            let completed = try await sessions.complete(
                callback,
                browserBinding: started.browserBinding,
                provider: provider
            )
            stage.watch(completed.session.id)
            witness.see(completed, "completed login")
            return completed.session
        }

        /// Uses a session from refresh to logout.
        func use(_ id: SessionID) async {
            let context = StorefrontContext(buyerIP: CanaryStage.buyerIP, country: "US")
            witness.see(context, "context")
            let line = CartLineInput(merchandiseID: "gid://shopify/ProductVariant/1", quantity: 1)
            await see("tokens") { try await sessions.tokens(for: id) }
            await see("profile") { try await sessions.buyerProfile(for: id) }
            await see("claim") { try await sessions.cartClaim(for: id) }
            await see("add") { try await carts.add([line], for: id, in: context) }
            await see("attach") { try await carts.attach(to: id, in: context) }
            await see("checkout") { try await carts.checkout(for: id, in: context) }
            await see("refresh") { try await sessions.refreshTokens(for: id) }
            await sessions.drain()
            await see("state") { try await carts.identityState(for: id) }
            await see("cart") { try await carts.read(for: id, in: context) }
            await see("detach") { try await carts.detach(from: id, in: context) }
            await see("sessions") { try await sessions.sessions() }
            await see("logout") { try await sessions.logout(id, returningTo: "http://127.0.0.1:49152/goodbye") }
        }

        /// Runs an operation and passes its result or error to the witness.
        func see(_ place: String, _ body: () async throws -> some Any) async {
            do {
                witness.see(try await body() as Any, place)
            } catch {
                witness.see(error, place)
            }
        }
    }
}
