import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityWeb
import StorefrontSandbox
import Synchronization
import WebShop

// The packages in Examples/ have their own StageServer, and compile TemporaryDirectory as part of their test module.
#if canImport(TestDirectories)
import IdentityDevelopmentServer
import TestDirectories
#endif

/// The system's clock, which a test can put forward and stop.
final class MovableClock: IdentityClock {
    private let system = SystemClock()
    private let offset = Mutex(Duration.zero)
    private let stopped = Mutex<(now: Date, elapsed: Duration)?>(nil)

    var now: Date { (stopped.withLock { $0?.now } ?? system.now) + Double(offset.withLock(\.components.seconds)) }
    var elapsed: Duration { (stopped.withLock { $0?.elapsed } ?? system.elapsed) + offset.withLock(\.self) }
    func sleep(for duration: Duration) async throws { try await system.sleep(for: duration) }
    func advance(by duration: Duration) { offset.withLock { $0 += duration } }
    /// From now on only ``advance(by:)`` moves the clock.
    func stop() { stopped.withLock { $0 = (system.now, system.elapsed) } }
}

/// The web shop at [::1] and the sandbox at 127.0.0.1, which a browser treats as two sites, like a real shop and its providers.
final class ShopStage: Sendable {
    let sandbox: ShopSandbox
    let shop: WebShop
    let origin: String
    /// The clock of the shop; the sandbox has the system's.
    let clock: MovableClock
    private let server: StageServer
    private let folder: TemporaryDirectory
    private let calls: Calls

    /// Records the callbacks that arrived, so that a test can repeat one.
    private final class Calls: Sendable {
        let callbacks = Mutex<[String]>([])
    }

    /// Opens the shop, runs the body, and closes the shop.
    ///
    /// `origin` is the public origin if it is not the server's own; `rewrite` changes the cookies that the shop sets.
    static func run(
        publicOrigin origin: String? = nil,
        rewritingCookies rewrite: @escaping @Sendable (String) -> String = { $0 },
        storefront configure: (inout SandboxStorefrontConfiguration) -> Void = { _ in },
        _ body: (ShopStage) async throws -> Void
    ) async throws {
        let stage = try await ShopStage(origin, rewrite, configure)
        do {
            try await body(stage)
        } catch {
            await stage.end()
            throw error
        }
        await stage.end()
    }

    private init(
        _ publicOrigin: String?,
        _ rewrite: @escaping @Sendable (String) -> String,
        _ configure: (inout SandboxStorefrontConfiguration) -> Void
    ) async throws {
        let folder = try TemporaryDirectory("web-shop")
        let clock = MovableClock()
        let calls = Calls()
        var started: (ShopSandbox, WebShop, String)?
        server = try await StageServer.start(port: 0) { local in
            let origin = publicOrigin ?? local.replacing("127.0.0.1", with: "[::1]")
            var storefront = SandboxStorefrontConfiguration.wholeShop
            storefront.returnURL = origin
            configure(&storefront)
            let sandbox = try await ShopSandbox.start(storefront: storefront)
            let made = sandbox.labConfiguration(app: origin, storePath: folder.path(of: "identity.sqlite"))
            let shop = try await WebShop.open(
                IdentityConfiguration(json: made.json.serialized, environmentVariables: made.environment),
                publicOrigin: origin,
                environment: IdentityEnvironment(transport: try CurlTransport(), clock: clock)
            )
            started = (sandbox, shop, origin)
            return { request in
                if request.path.hasPrefix("/auth/callback/") {
                    calls.callbacks.withLock { $0.append(request.target) }
                }
                var response = await shop.respond(to: request)
                var headers = HTTPHeaders()
                for (name, value) in response.headers {
                    try? headers.append(name, name.lowercased() == "set-cookie" ? rewrite(value) : value)
                }
                response.headers = headers
                return response
            }
        }
        guard let (sandbox, shop, origin) = started else { throw CancellationError() }
        self.sandbox = sandbox
        self.shop = shop
        self.origin = origin
        self.folder = folder
        self.clock = clock
        self.calls = calls
    }

    private func end() async {
        await server.stop()
        await sandbox.stop()
        folder.remove()
    }

    /// The origin to which a proxy in front of the shop forwards requests.
    var backend: String { server.origin }

    /// The targets of the callbacks that arrived, the newest last.
    var callbacks: [String] { calls.callbacks.withLock(\.self) }
}

extension Browser {
    func add(_ handle: String, _ stage: ShopStage) async throws {
        try await go("\(stage.origin)/products/\(handle)")
        try await click("form[action=\"/cart/add\"] button")
        try await wait(for: "Added to your cart")
    }

    /// Begins a sign-in from the cart, up to the provider's page.
    func beginSignIn(_ provider: String, _ stage: ShopStage) async throws {
        try await go("\(stage.origin)/cart")
        try await click(".account")
        try await click("a[href^=\"/auth/login/\(provider)?\"]")
    }

    /// Enters address and code at the provider's page.
    func enter(_ email: String = "ada@example.com", wrongCodeFirst: Bool = false) async throws {
        try await type(email, into: "input[name=email]")
        try await click("button[value=continue]")
        let code = try await attribute("data-sandbox-code", of: "[data-sandbox-code]")
        if wrongCodeFirst {
            try await type(code == "000000" ? "111111" : "000000", into: "input[name=code]")
            try await click("button[value=continue]")
            try await wait(for: "That code is not right")
        }
        try await type(code, into: "input[name=code]")
        try await click("button[value=continue]")
    }

    func signIn(_ provider: String, _ stage: ShopStage) async throws {
        try await beginSignIn(provider, stage)
        try await enter()
        try await wait(for: "signed in with")
    }
}
