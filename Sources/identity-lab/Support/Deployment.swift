internal import IdentityHTTP
internal import IdentityKit
internal import IdentitySetup
internal import ShopifyStorefront

struct Deployment: Sendable {
    private let setup: IdentitySetup
    private let nonDurableTokens: NonDurableTokens
    static let lastWorkSeconds = 40
    /// The time limit of ``drain()`` and ``repairAndDrain()`` at the end of a command.
    var lastWorkLimit = Duration.seconds(Self.lastWorkSeconds)

    var environment: IdentityEnvironment { setup.environment }
    var sessions: SessionManager { setup.sessions }
    /// Nil if no storefront is configured.
    var carts: CartAdapter? { setup.carts }

    init(
        _ configuration: IdentityConfiguration,
        store: any SessionStore,
        transport: any HTTPTransport,
        clock: any IdentityClock,
        observers: [any IdentityObserver] = [],
        nonDurableTokens: NonDurableTokens
    ) throws {
        var options = IdentitySetup.Options()
        options.observers = observers
        let environment = IdentityEnvironment(transport: transport, clock: clock, observers: observers)
        setup = try IdentitySetup(configuration, store: store, environment: environment, options: options)
        self.nonDurableTokens = nonDurableTokens
    }

    init(_ setup: IdentitySetup, _ nonDurableTokens: NonDurableTokens) {
        self.setup = setup
        self.nonDurableTokens = nonDurableTokens
    }

    func requireCarts() throws -> CartAdapter { try setup.requireCarts() }

    static func systemTransport() throws -> CurlTransport {
        do {
            return try CurlTransport()
        } catch {
            throw IdentityError(
                .retryLater,
                .systemFailure,
                "The HTTP client could not be started.",
                hint: "Check the process's limits of memory, open files and threads.",
                cause: error
            )
        }
    }

    /// Returns the name of the requested provider or, if no name is requested, of the only configured provider.
    static func providerName(_ requested: String?, among names: [String]) throws -> String {
        if let requested, names.contains(where: { $0.isIdentical(to: requested) }) { return requested }
        guard requested == nil, names.count == 1, let only = names.first else {
            throw IdentityError(
                .configuration,
                .providerUnknown,
                names.isEmpty
                    ? "No provider is configured."
                    : requested.map { "No provider with the name \($0.quoted) is configured." }
                        ?? "Several providers are configured, and --provider is missing.",
                hint: names.isEmpty
                    ? "Add a provider to the section \"providers\" of the configuration."
                    : "Pass --provider with one of the configured names: \(names.joined(separator: ", "))."
            )
        }
        return only
    }

    /// Waits for running refreshes and background work, also in a cancelled task; cancels the wait after ``lastWorkLimit``.
    func drain() async {
        await finishing { await sessions.drain() }
    }

    /// Completes refreshes that earlier commands did not complete, and then waits as ``drain()`` does.
    func repairAndDrain() async {
        await finishing {
            // If a session cannot be repaired now, the next command tries again.
            _ = try? await sessions.repair()
            return await sessions.drain()
        }
    }

    /// Runs `work` at the end of a command, and cancels it after ``lastWorkLimit``.
    ///
    /// `work` returns the sessions whose new tokens could not be stored. ``nonDurableTokens`` records these sessions, and whether `work`
    /// ended within the limit.
    private func finishing(_ work: @escaping @Sendable () async -> Set<SessionReference>) async {
        await Task {
            await withTaskGroup(of: Set<SessionReference>?.self) { group in
                group.addTask { await work() }
                group.addTask {
                    try? await Task.sleep(for: lastWorkLimit)
                    return nil
                }
                // At the limit, the second task returns nil and `work` is cancelled. `work` returns its result after that.
                var isAtLimit = false
                for await found in group {
                    if let found { nonDurableTokens.record(found, isComplete: !isAtLimit, of: sessions) }
                    isAtLimit = true
                    group.cancelAll()
                }
            }
        }.value
    }

    /// Runs an operation, and then ``drain()``, even if the operation throws an error.
    func draining<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            let value = try await work()
            await drain()
            return value
        } catch {
            await drain()
            throw error
        }
    }
}
