internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySQLite
internal import IdentityStoreKit

/// What an app sees: a crowd at one expired session, credentials in memory.
struct SessionBenchmark {
    let folder: String
    let time: Duration

    func run() async throws {
        try await crowd()
        try await cached()
        try await memory()
    }

    private func manager(
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
            environment: IdentityEnvironment(transport: NoTransport()),
            configuration: configuration
        )
    }

    private func crowd() async throws {
        Report.write("\n1,000 callers at one expired session, provider answers in 20 ms")
        let key = try StoreKey(bytes: Secret(bytes: [UInt8](repeating: 9, count: StoreKey.byteCount)))
        let stores: [(String, any SessionStore)] = [
            ("in memory", InMemoryStore()),
            ("SQLite", try await SQLiteStore.open(.init(path: "\(folder)/crowd.sqlite", key: key))),
        ]
        for (name, store) in stores {
            var times: [Duration] = []
            var refreshes = 0
            for round in 0..<5 {
                let provider = SlowProvider()
                let manager = try manager(store, provider)
                let id = try await manager.establish(
                    SlowProvider.tokens("buyer-\(round)", expiringIn: -1),
                    provider: "slow"
                ).id
                let clock = ContinuousClock()
                let start = clock.now
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<1_000 { group.addTask { _ = try await manager.tokens(for: id) } }
                    try await group.waitForAll()
                }
                times.append(clock.now - start)
                refreshes += provider.refreshes
            }
            let median = times.sorted()[2]
            Report.line(
                name,
                "",
                median.text,
                "",
                "\((median - SlowProvider.delay).text) over the provider; \(refreshes) refreshes in 5 rounds"
            )
        }
    }

    private func cached() async throws {
        let provider = SlowProvider()
        let manager = try manager(InMemoryStore(), provider, cached: 1_000)
        let id = try await manager.establish(SlowProvider.tokens("buyer", expiringIn: 3600), provider: "slow").id
        _ = try await manager.tokens(for: id)
        let clock = ContinuousClock()
        let start = clock.now
        let count = 1_000_000
        for _ in 0..<count { _ = try await manager.tokens(for: id) }
        let each = (clock.now - start) / .nanoseconds(1) / Double(count)
        Report.write("\nA credential from memory: \(Int(each)) ns")
    }

    private func memory() async throws {
        let provider = SlowProvider()
        let count = 100_000
        let store = InMemoryStore()
        let manager = try manager(store, provider, cached: count)
        var ids: [SessionID] = []
        for number in 0..<count {
            ids.append(
                try await manager.establish(
                    SlowProvider.tokens("buyer-\(number)", expiringIn: 3600),
                    provider: "slow"
                ).id
            )
        }
        let before = Self.residentBytes()
        for id in ids { _ = try await manager.tokens(for: id) }
        let after = Self.residentBytes()
        Report.write(
            "\nMemory of 100,000 sessions cached: \((after - before) >> 20) MB, tokens of 1.6 KB each included"
        )
    }

    /// The process's resident memory, from Linux's own account of it.
    private static func residentBytes() -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4096
    }
}
