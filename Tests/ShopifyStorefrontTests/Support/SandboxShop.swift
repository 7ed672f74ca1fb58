import Foundation
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentitySQLite
import IdentitySandbox
import IdentityShopify
import IdentityStoreKit
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import Synchronization
import TestDirectories
import Testing

final class CartEvents: Sendable {
    private let events = Mutex<[CartEvent]>([])
    var kinds: [CartEvent.Kind] { events.withLock { $0.map(\.kind) } }
    func note(_ event: CartEvent) { events.withLock { $0.append(event) } }
}

/// A store that can refuse to write attachments, and records the locks that an adapter requests.
final class BrittleStore: SessionAttachmentStore, SessionLocking, Sendable {
    private let store: any SessionAttachmentStore & SessionLocking
    /// The number of writes that still succeed, and the number of writes that fail after them; nil if all succeed.
    private let plan = Mutex<(successes: Int, failures: Int)?>(nil)
    /// The closure that runs before each read of this session's attachment.
    private let hook = Mutex<(session: SessionID, run: @Sendable () async throws -> Void)?>(nil)
    private let locks = Mutex<Set<LockName>>([])

    var requestedLocks: Set<LockName> { locks.withLock { $0 } }

    init(_ store: any SessionAttachmentStore & SessionLocking) { self.store = store }

    func fail(after writes: Int?, times: Int = .max) { plan.withLock { $0 = writes.map { ($0, times) } } }

    func beforeReads(of id: SessionID, _ run: @escaping @Sendable () async throws -> Void) {
        hook.withLock { $0 = (id, run) }
    }

    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        _ = locks.withLock { $0.insert(name) }
        return try await store.withLock(name, waitingUpTo: limit, body)
    }

    func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? {
        if let hook = hook.withLock({ $0 }), hook.session == id { try await hook.run() }
        return try await store.attachment(name, of: id)
    }

    func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool {
        let mayWrite = plan.withLock { plan in
            guard let (successes, failures) = plan else { return true }
            plan = successes > 0 ? (successes - 1, failures) : (0, max(0, failures - 1))
            return successes > 0 || failures == 0
        }
        guard mayWrite else { throw IdentityError(.retryLater, .storeFailed, "The disk is full.") }
        return try await store.setAttachment(name, to: payload, of: id, expecting: revision)
    }
}

/// The sandbox over HTTP, the real providers, and one or more processes over one SQLite file.
struct SandboxShop {
    struct Process {
        let sessions: SessionManager
        let carts: CartAdapter
        let store: SQLiteStore
        let attachments: BrittleStore
        fileprivate let directory: TemporaryDirectory
    }

    static let ip = "203.0.113.7"
    static let mug = "gid://shopify/ProductVariant/1"
    static let shirt = "gid://shopify/ProductVariant/2"
    static let lastOnes = "gid://shopify/ProductVariant/3"

    let sandbox: ShopSandbox
    let clock = ManualClock()
    let events = CartEvents()
    let context = StorefrontContext(buyerIP: ip, country: "US", language: "EN")
    let first: Process
    private let lab: IdentityConfiguration
    /// The directory is removed with the last copy of the shop and its processes.
    private let directory: TemporaryDirectory
    private let policy: CartPolicy
    private let exchanges: Bool
    private let timeout: Duration

    var carts: CartAdapter { first.carts }
    var sessions: SessionManager { first.sessions }
    var storefront: SandboxStorefront { sandbox.storefront }

    init(
        policy: CartPolicy = CartPolicy(),
        exchanges: Bool = false,
        timeout: Duration = .seconds(20),
        _ change: (inout SandboxConfiguration) -> Void = { _ in },
        storefront configure: (inout SandboxStorefrontConfiguration) -> Void = { _ in }
    ) async throws {
        var settings = SandboxConfiguration()
        settings.clock = clock
        settings.buyers = [
            .ada, SandboxBuyerAccount(email: "grace@example.com", firstName: "Grace", lastName: "Hopper"),
        ]
        change(&settings)
        var storefront = SandboxStorefrontConfiguration()
        configure(&storefront)
        sandbox = try await ShopSandbox.start(settings, storefront: storefront)
        directory = try TemporaryDirectory("carts")
        let file = sandbox.labConfiguration()
        lab = try IdentityConfiguration(json: file.json.serialized, environmentVariables: file.environment)
        var policy = policy
        policy.onEvent = { [events] in events.note($0) }
        self.policy = policy
        self.exchanges = exchanges
        self.timeout = timeout
        first = try await Self.process(lab, directory, clock, policy, exchanges, timeout, sandbox)
    }

    func process() async throws -> Process {
        try await Self.process(lab, directory, clock, policy, exchanges, timeout, sandbox)
    }

    private static func process(
        _ lab: IdentityConfiguration,
        _ directory: TemporaryDirectory,
        _ clock: ManualClock,
        _ policy: CartPolicy,
        _ exchanges: Bool,
        _ timeout: Duration,
        _ sandbox: ShopSandbox
    ) async throws -> Process {
        let environment = IdentityEnvironment(transport: try CurlTransport(), clock: clock)
        let factories: [any ProviderFactory] = [
            ShopifyProviderFactory(), BoltProviderFactory(), SFCCProviderFactory(), OpenIDFactoryStub(),
        ]
        let registry = try ProviderRegistry(lab, factories: factories, environment: environment)
        let key = try StoreKey(bytes: Secret(bytes: [UInt8](repeating: 9, count: StoreKey.byteCount)))
        let file = SQLiteStore.Configuration(path: directory.path(of: "store.sqlite"), key: key, lockWait: .seconds(60))
        let store = try await SQLiteStore.open(file)
        var waits = SessionManager.Configuration()
        // A logout must end after the buyer was removed from the cart, also on a slow machine.
        waits.participantWait = .seconds(60)
        let sessions = SessionManager(
            providers: registry,
            store: store,
            environment: environment,
            configuration: waits
        )
        let section = try #require(lab.storefront)
        let configured = try StorefrontConfiguration(section)
        let configuration = try StorefrontConfiguration(
            shopDomain: "shop.example",
            authentication: configured.authentication,
            endpoint: configured.endpoint,
            allowsLoopbackHTTP: true,
            timeout: timeout
        )
        var policy = policy
        if exchanges {
            policy.exchange = CustomerTokenExchange(
                endpoint: try HTTPURL(sandbox.shopify.customerAccountEndpoint),
                origin: "https://shop.example",
                environment: environment,
                allowsLoopbackHTTP: true
            )
        }
        let attachments = BrittleStore(store)
        let carts = CartAdapter(
            client: StorefrontClient(configuration: configuration, environment: environment, retry: .none),
            sessions: sessions,
            store: attachments,
            policy: policy
        )
        return Process(
            sessions: sessions,
            carts: carts,
            store: store,
            attachments: attachments,
            directory: directory
        )
    }

    func login(_ provider: String = "shopify", as email: String = "ada@example.com") async throws -> SessionID {
        sandbox.shopify.signOutBrowsers()
        let flow = LoginFlow(provider: provider, sessions: sessions, presenter: SandboxBuyer(email: email))
        return try await flow.login().id
    }

    func mugs(_ quantity: Int = 1) -> [CartLineInput] {
        [CartLineInput(merchandiseID: Self.mug, quantity: quantity)]
    }

    /// Starts a guest's session, and puts a mug into its cart.
    func guestWithMug() async throws -> (guest: SessionID, cart: Cart) {
        let guest = try await sessions.beginGuest().id
        return (guest, try await carts.add(mugs(), for: guest, in: context).cart)
    }

    /// Merges a guest's cart; the responses to the update of the buyer's identity are lost.
    func interruptMerge(
        of guest: SessionID,
        into session: SessionID,
        merge: CartPolicy.Merge? = nil
    ) async throws {
        loseResponses(of: "cartBuyerIdentityUpdate")
        await #expect(throws: IdentityError.self) {
            try await carts.mergeGuestCart(of: guest, into: session, merge: merge, in: context)
        }
        storefront.removeAllFaults()
    }

    /// Starts an operation, and waits until it requests a lock, or until it ends because it requests no lock.
    func start<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value,
        until requestsLock: @Sendable () -> Bool
    ) async -> Task<Value, any Error> {
        let hasEnded = Mutex(false)
        let task = Task {
            defer { hasEnded.withLock { $0 = true } }
            return try await operation()
        }
        while !requestsLock(), !hasEnded.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(5)) }
        return task
    }

    func state(_ cart: Cart) throws -> SandboxStorefront.CartState {
        try #require(storefront.cartStates.first { $0.id == cart.id.rawValue })
    }

    func count(_ field: String) -> Int {
        storefront.requests.count { $0.bodyText.contains("\(field)(cartId") }
    }

    func isBound(_ id: SessionID) async throws -> Bool {
        try await first.store.attachment(TestShop.row, of: id) != nil
    }
}

/// Reads the entry of kind `openid` in the sandbox's configuration file; these tests do not use its provider.
struct OpenIDFactoryStub: ProviderFactory {
    let kind = "openid"

    func makeProvider(
        named name: String,
        from section: inout ConfigurationSection,
        in environment: IdentityEnvironment
    ) throws -> any IdentityProvider {
        for member in section.memberNames {
            switch member {
            case "allowsLoopbackHTTP": _ = try section.bool(member, default: false)
            case "scopes": _ = try section.optionalStrings(member)
            case "clientSecret": _ = try section.optionalSecret(member)
            default: _ = try section.optionalString(member)
            }
        }
        return ClaimProvider(.none, clock: ManualClock(), name: name)
    }
}

extension SandboxStorefront {
    /// Makes the fake shop refuse lines with a variant; in a request that also adds `first`, the refused line is the second one.
    func refuseLines(_ variant: String, after first: String) {
        planFault(
            .before { [self] in
                guard let body = requests.last?.bodyText, body.contains("cartLinesAdd("), body.contains(variant) else {
                    return
                }
                refuseNext(
                    code: "MERCHANDISE_NOT_APPLICABLE",
                    field: ["lines", body.contains(first) ? "1" : "0", "merchandiseId"]
                )
            },
            on: .storefront,
            times: .max
        )
    }
}
