internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit
internal import IdentityPresentation
internal import IdentitySandbox
internal import ShopifyStorefront
internal import StorefrontSandbox

/// The services that ``JourneyCommand``, `compare` and `serve` use: the embedded sandbox, or the services of a configuration file.
struct RunEnvironment: Sendable {
    let configuration: IdentityConfiguration
    let store: OpenedStore
    let transport: any HTTPTransport
    /// The embedded sandbox; nil for configured services.
    let sandbox: ShopSandbox?
    /// The callback mode; nil if it depends on the provider's redirect URI.
    let callback: CallbackMode?
    /// The clock of the program and of the embedded sandbox.
    let clock: AdjustableClock
    private let lab: Lab
    private let temporaryFolder: URL?
    private let variant = CartVariant()

    static let servedTokenLifetime = Duration.seconds(600)
    /// The context of Storefront requests; a real shop gets no IP address, because this program does not know the buyer's IP address.
    var buyer: StorefrontContext { StorefrontContext(buyerIP: sandbox == nil ? nil : "203.0.113.7") }

    /// Opens the services of the configuration file if `usesServices` is true; otherwise starts the embedded sandbox.
    ///
    /// `tokenLifetime` and `routesOrigin` apply to the embedded sandbox. The sandbox registers the callback addresses of the web routes at
    /// `routesOrigin` or, if `routesOrigin` is nil, the redirect URI of a loopback listener.
    static func open(
        _ lab: Lab,
        usesServices: Bool,
        callback: CallbackMode?,
        tokenLifetime: Duration,
        routesOrigin: String? = nil
    ) async throws -> RunEnvironment {
        let clock = AdjustableClock()
        let embedded = usesServices ? nil : try await embedded(lab, clock, tokenLifetime, routesOrigin)
        let configuration = try embedded?.configuration ?? lab.configuration()
        return RunEnvironment(
            configuration: configuration,
            store: try await OpenedStore.open(configuration.store, path: lab.arguments[.store]),
            transport: try Deployment.systemTransport(),
            sandbox: embedded?.sandbox,
            callback: embedded == nil ? callback : .sandbox,
            clock: clock,
            lab: lab,
            temporaryFolder: embedded?.folder
        )
    }

    /// Starts the embedded sandbox; `folder` is the temporary folder of the store, nil if `--store` names the store's file.
    ///
    /// The file of `--store` is encrypted with `IDENTITY_STORE_KEY`. If this variable is not set, the key is random and not kept, so nobody
    /// can open the file again.
    private static func embedded(
        _ lab: Lab,
        _ clock: AdjustableClock,
        _ tokenLifetime: Duration,
        _ routesOrigin: String?
    ) async throws -> (sandbox: ShopSandbox, configuration: IdentityConfiguration, folder: URL?) {
        var settings = SandboxConfiguration()
        settings.clock = clock
        settings.accessTokenLifetime = tokenLifetime
        // SFCC tokens cannot be refreshed, so they have to be valid until the cart is filled, also on a busy machine.
        settings.sfcc.tokenLifetime = tokenLifetime * 2
        let sandbox = try await ShopSandbox.start(settings)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("identity-lab-\(UUID().uuidString)")
        let kept = lab.arguments[.store]
        let path = kept ?? folder.appendingPathComponent("identity.sqlite").path
        let key = kept == nil ? nil : Lab.storeKey
        let file =
            routesOrigin.map { sandbox.labConfiguration(app: $0, storePath: path, storeKey: key) }
            ?? sandbox.labConfiguration(storePath: path, storeKey: key)
        let configuration = try IdentityConfiguration(
            json: file.json.serialized,
            environmentVariables: file.environment
        )
        return (sandbox, configuration, kept == nil ? folder : nil)
    }

    func deployment(recordedBy recorder: Recorder) throws -> Deployment {
        try Deployment(
            configuration,
            store: store.recorded(by: recorder),
            transport: RecordingTransport(inner: transport, recorder: recorder),
            clock: clock,
            observers: lab.observers,
            nonDurableTokens: lab.nonDurableTokens
        )
    }

    /// Returns one line with the first variant that the shop can sell; the request that finds the variant is not recorded.
    func lines() async throws -> [CartLineInput] {
        let deployment = try Deployment(
            configuration,
            store: store.store,
            transport: transport,
            clock: clock,
            nonDurableTokens: lab.nonDurableTokens
        )
        return [CartLineInput(merchandiseID: try await variant.id(in: deployment.requireCarts().client, for: buyer))]
    }

    func close() async {
        await store.close()
        await sandbox?.stop()
        if let temporaryFolder { try? FileManager.default.removeItem(at: temporaryFolder) }
    }

    func service(at url: HTTPURL) -> String {
        guard let sandbox else { return url.host }
        switch url.origin {
        case sandbox.shopify.platformOrigin, sandbox.shopify.accountOrigin: return "Shopify"
        case sandbox.bolt.origin: return "Bolt"
        case sandbox.sfcc.origin: return "SFCC"
        // The shop's domain serves the Storefront API and Shopify's other services.
        case sandbox.storefront.origin: return url.path.hasPrefix("/api/") ? "Storefront" : "Shopify"
        default: return "OpenID"
        }
    }
}

/// The variant that all carts of a run get, so that the approaches can be compared.
private actor CartVariant {
    private var id: String?

    func id(in storefront: StorefrontClient, for buyer: StorefrontContext) async throws -> String {
        if let id { return id }
        let found = try await storefront.firstAvailableVariant(in: buyer)
        id = found
        return found
    }
}
