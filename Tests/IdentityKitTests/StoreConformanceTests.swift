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

    @Test("lets the used tokens that expire first make room")
    func usedTokens() async throws {
        let store = InMemoryStore(maximumAttempts: 2)
        for (key, age) in [("late", 30.0), ("early", 10), ("middle", 20)] {
            let isFirst = try await store.markUsed(key, until: .init(timeIntervalSince1970: age))
            #expect(isFirst)
        }
        let early = try await store.isUsed("early")
        #expect(!early)
        #expect(try await !store.markUsed("middle", until: .init(timeIntervalSince1970: 0)))
        #expect(try await store.isUsed("late"))
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
