import FoundationEssentials
import IdentityKit
import IdentityTesting
import Testing

@Suite("The in-memory store")
struct StoreConformanceTests {
    @Test("keeps what every store promises", arguments: StoreConformance.cases)
    func conformance(_ promise: StoreConformance.Case) async throws {
        try await promise.run { InMemoryStore() }
    }

    @Test("lets used tokens make room when their time is over, and never before")
    func usedTokens() async throws {
        let clock = ManualClock()
        let store = InMemoryStore(maximumUsedTokens: 2, clock: clock)
        let start = clock.now
        for (key, age) in [("late", 30.0), ("early", 10)] {
            #expect(try await store.markUsed(key, until: start + age))
        }
        let error = await #expect(throws: IdentityError.self) {
            _ = try await store.markUsed("middle", until: start + 20)
        }
        #expect(error?.kind == .retryLater)
        #expect(try await !store.markUsed("early", until: start))
        clock.advance(by: .seconds(11))
        #expect(try await store.markUsed("middle", until: start + 20))
        for (key, isKept) in [("early", false), ("middle", true), ("late", true)] {
            #expect(try await store.isUsed(key) == isKept)
        }
    }

    @Test("lets the pending logins that expire first make room")
    func cap() async throws {
        let store = InMemoryStore(maximumAttempts: 2)
        for (key, age) in [("late", 30.0), ("early", 10), ("middle", 20)] {
            try await store.insert(
                StoredLoginAttempt(key: key, expiresAt: .init(timeIntervalSince1970: age), payload: Secret(key))
            )
        }
        #expect(try await store.takeLoginAttempt("early") == nil)
        #expect(try await store.takeLoginAttempt("middle") != nil)
        #expect(try await store.takeLoginAttempt("late") != nil)
    }
}
