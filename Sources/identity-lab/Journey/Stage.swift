internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit
internal import IdentityPresentation
internal import IdentitySandbox
internal import ShopifyStorefront

/// Where a journey or a comparison plays: the embedded sandbox, or what a configuration file describes.
struct Stage: Sendable {
    let configuration: IdentityConfiguration
    let store: OpenedStore
    let transport: any HTTPTransport
    /// The embedded sandbox, whose carts can be looked at from the side; nil where the services are real.
    let sandbox: Sandbox?
    /// How callbacks come back; nil where it depends on the provider's redirect URI.
    let callback: CallbackMode?
    let observers: [any IdentityObserver]
    private let temporaryFolder: URL?

    /// What is bought, and from where; documentation's address stands for the buyer's.
    static let lines = [CartLineInput(merchandiseID: "gid://shopify/ProductVariant/1", quantity: 2)]
    static let context = StorefrontContext(buyerIP: "203.0.113.7")

    /// The stage that the options ask for.
    static func open(_ lab: Lab, callback: CallbackMode?, tokenLifetime: Duration) async throws -> Stage {
        guard lab.configurationPath == nil else { return try await configured(lab, callback) }
        return try await embedded(lab, tokenLifetime)
    }

    private static func configured(_ lab: Lab, _ callback: CallbackMode?) async throws -> Stage {
        let configuration = try lab.configuration()
        return Stage(
            configuration: configuration,
            store: try await StoreOpening.open(configuration.store, path: lab.arguments[.store]),
            transport: try Deployment.systemTransport(),
            sandbox: nil,
            callback: callback,
            observers: lab.observers,
            temporaryFolder: nil
        )
    }

    private static func embedded(_ lab: Lab, _ tokenLifetime: Duration) async throws -> Stage {
        var settings = SandboxConfiguration()
        settings.accessTokenLifetime = tokenLifetime
        // Cannot be renewed, so it has to last until its cart is filled, on a busy machine too.
        settings.sfcc.tokenLifetime = tokenLifetime * 2
        let sandbox = try await Sandbox.start(settings)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("identity-lab-\(UUID().uuidString)")
        let path = lab.arguments[.store] ?? folder.appendingPathComponent("identity.sqlite").path
        let made = sandbox.labConfiguration(storePath: path)
        let configuration = try IdentityConfiguration(
            json: made.json.serialized,
            environmentVariables: made.environment
        )
        return Stage(
            configuration: configuration,
            store: try await StoreOpening.open(configuration.store, path: path),
            transport: try Deployment.systemTransport(),
            sandbox: sandbox,
            callback: .sandbox,
            observers: lab.observers,
            temporaryFolder: lab.arguments[.store] == nil ? folder : nil
        )
    }

    func close() async {
        await store.close()
        await sandbox?.stop()
        if let temporaryFolder { try? FileManager.default.removeItem(at: temporaryFolder) }
    }

    /// What people call the service that lives at a URL.
    func service(at url: HTTPURL) -> String {
        guard let sandbox else { return url.host }
        switch url.origin {
        case sandbox.shopify.platformOrigin, sandbox.shopify.accountOrigin: return "Shopify"
        case sandbox.bolt.origin: return "Bolt"
        case sandbox.sfcc.origin: return "SFCC"
        // The shop's own domain serves both.
        case sandbox.storefront.origin: return url.path.hasPrefix("/api/") ? "Storefront" : "Shopify"
        default: return "OpenID"
        }
    }
}
