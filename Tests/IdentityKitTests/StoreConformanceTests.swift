import FoundationEssentials
import IdentityKit
import IdentityTesting
import Testing

@Suite("The in-memory store")
struct StoreConformanceTests {
    private static let limits: Set<StoreUnderTest.Ability> = [.attemptLimit, .usedTokenLimit, .sessionLimit]

    @Test("keeps what every store promises", arguments: StoreConformance.cases)
    func conformance(_ promise: StoreConformance.Case) async throws {
        try await promise.run(
            on: StoreUnderTest(Self.limits) { options in
                InMemoryStore(
                    maximumAttempts: options.maximumAttempts ?? 10_000,
                    maximumUsedTokens: options.maximumUsedTokens ?? 100_000,
                    maximumSessionsPerTenant: options.maximumSessionsPerTenant,
                    clock: options.clock
                )
            }
        )
    }

    @Test(
        "keeps it with locks in memory around it",
        arguments: StoreConformance.cases.filter { $0.name.contains("lock") }
    )
    func locks(_ promise: StoreConformance.Case) async throws {
        try await promise.run { LockedStore() }
    }

    @Test("has at least 120 promises to keep, each under a name of its own")
    func size() {
        #expect(StoreConformance.cases.count >= 120)
        #expect(Set(StoreConformance.cases.map(\.name)).count == StoreConformance.cases.count)
    }

    @Test("keeps attempts and used tokens of a hundred tenants within their bounds, whatever order they expire in")
    func bounds() async throws {
        let store = InMemoryStore(maximumAttempts: 4)
        for number in 0..<4_000 {
            let expiry = Date(timeIntervalSince1970: Double((number * 7_919) % 4_000))
            let tenant = "\(number % 100)"
            try await store.insert(
                StoredLoginAttempt(key: "\(number)", tenant: tenant, expiresAt: expiry, payload: Secret(""))
            )
        }
        #expect(try await store.sweep(expiredBefore: .distantFuture) == 400)
    }
}

/// A store whose locks are those of this process.
final class LockedStore: WrappingStore, SessionLocking {
    let inner = InMemoryStore()
    private let locks = InMemoryLocks()

    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (SessionHold) async throws -> Result
    ) async throws -> Result {
        try await locks.withLock(name, waitingUpTo: limit, body)
    }
}
