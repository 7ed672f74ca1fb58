internal import BenchmarkLogins
internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization
internal import TestDoubles

/// Tokens from memory, many callers of one expired session, and the memory of a process.
enum SessionManagerRows {
    static let all = [
        Row(
            name: "cached-token",
            title: "Tokens of a session that is in memory",
            peers: [
                Peer(
                    name: "a dictionary and a lock",
                    work: .operation(callers: 1, batch: 1_000) { _ in
                        let table = Table()
                        return { try table.read() }
                    }
                ),
                Peer(
                    name: "tokens(for:)",
                    work: .operation(callers: 1, batch: 1_000) { _ in
                        let manager = try manager(InMemoryStore(), SlowProvider(), cached: 1_000)
                        let tokens = SlowProvider.tokens("buyer", expiringIn: 3600)
                        let id = try await manager.establish(tokens, provider: "slow").id
                        return { _ = try await manager.tokens(for: id) }
                    },
                    isCounted: true
                ),
            ]
        ),
        Row(
            name: "thousand-callers",
            title: "1,000 callers of one expired session, beyond the provider's 20 ms",
            unit: "ms",
            peers: [
                Peer(name: "one task that all await", work: .figure { _ in try await sharedTask() }),
                Peer(name: "in memory", work: .figure { _ in try await thousandCallers(InMemoryStore()) }),
                Peer(
                    name: "SQLite",
                    work: .figure { try await thousandCallers(try await openStore("callers", in: $0)) }
                ),
            ]
        ),
        Row(
            name: "memory",
            title: "Memory of a small program after 100,000 logins (--quick: 500) whose sessions are removed",
            unit: "MB",
            peers: [
                Peer(name: "no login", work: .figure { try ChildProcess.memory(afterLogins: 0, $0) }),
                Peer(
                    name: "InMemoryStore",
                    work: .figure { try ChildProcess.memory(afterLogins: $0.isQuick ? 500 : 100_000, $0) }
                ),
            ],
            isLong: true
        ),
    ]

    private static let callers = 1_000

    static func manager(
        _ store: any SessionStore,
        _ provider: SlowProvider,
        cached: Int = 0
    ) throws -> SessionManager {
        var configuration = SessionManager.Configuration()
        configuration.cachedSessions = cached
        configuration.cacheLifetime = .seconds(3600)
        return SessionManager(
            providers: try ProviderRegistry([provider]),
            store: store,
            environment: IdentityEnvironment(transport: NoNetwork()),
            configuration: configuration
        )
    }

    /// The milliseconds beyond the provider's delay: the best of five rounds, because the load of the machine slows the others.
    private static func beyondProvider(_ body: (Int) async throws -> Void) async throws -> Double {
        let clock = ContinuousClock()
        var best = Double.infinity
        for round in 0..<5 {
            let start = clock.now
            try await body(round)
            best = min(best, (clock.now - start - SlowProvider.delay) / .milliseconds(1))
        }
        return best
    }

    private static func sharedTask() async throws -> Double {
        try await beyondProvider { _ in
            let task = Task { try await Task.sleep(for: SlowProvider.delay) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<callers { group.addTask { try await task.value } }
                try await group.waitForAll()
            }
        }
    }

    private static func thousandCallers(_ store: any SessionStore) async throws -> Double {
        let provider = SlowProvider()
        let manager = try manager(store, provider)
        var ids: [SessionID] = []
        for round in 0..<5 {
            let tokens = SlowProvider.tokens("buyer-\(round)", expiringIn: -1)
            ids.append(try await manager.establish(tokens, provider: "slow").id)
        }
        let milliseconds = try await beyondProvider { round in
            let id = ids[round]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<callers { group.addTask { _ = try await manager.tokens(for: id) } }
                try await group.waitForAll()
            }
        }
        guard provider.refreshes == 5 else {
            throw BenchmarkFailure("There were \(provider.refreshes) refreshes instead of 5.")
        }
        return milliseconds
    }

    /// A dictionary with a lock: the least that a cache of tokens can cost.
    private final class Table: Sendable {
        private let tokens = Mutex(["session": SlowProvider.tokens("buyer", expiringIn: 3600)])

        func read() throws {
            guard tokens.withLock({ $0["session"] }) != nil else { throw BenchmarkFailure("The table has no tokens.") }
        }
    }
}
