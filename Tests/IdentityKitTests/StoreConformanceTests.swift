import FoundationEssentials
import IdentityKit
import IdentityTesting
import Testing

@Suite("The in-memory store")
struct StoreConformanceTests {
    private static let limits: Set<StoreUnderTest.Ability> = [.attemptLimit, .usedTokenLimit, .sessionLimit]

    @Test("the store passes the conformance suite", arguments: StoreConformance.cases)
    func conformance(_ testCase: StoreConformance.Case) async throws {
        try await testCase.run(on: StoreUnderTest(Self.limits) { InMemoryStore($0) })
    }

    @Test(
        "a store that differs where the documentation permits it passes the conformance suite",
        arguments: StoreConformance.cases
    )
    func lenient(_ testCase: StoreConformance.Case) async throws {
        try await testCase.run(on: StoreUnderTest(Self.limits) { LenientStore($0) })
    }

    @Test("the conformance suite has at least 120 cases with unique names")
    func size() {
        #expect(StoreConformance.cases.count >= 120)
        #expect(Set(StoreConformance.cases.map(\.name)).count == StoreConformance.cases.count)
    }

    @Test("the in-memory store limits the login attempts of each of a hundred tenants, in any order of expiry")
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
