import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import Testing

@Suite struct ShopBreakerTests {
    private let attack = LoopbackResponse.status(430)

    @Test("after HTTP 430 one delayed attempt is made, and its success ends the pause")
    func delayedAttempt() async throws {
        let storefront = try await FakeStorefront.start([attack, .mugs])
        let clock = ManualClock(isAdvancedBySleeping: true)
        let recorder = EventRecorder()
        let client = try storefront.client(clock: clock, retry: .standard, observers: [recorder])
        #expect(try await client.execute(Probe<Adds>()).data.name == "Mugs")
        #expect(storefront.calls.count == 2 && clock.elapsed == .milliseconds(1500))
        #expect(recorder.kinds.contains(.resumed))
        _ = try await client.execute(Probe<Shared>())
        #expect(storefront.calls.count == 3)
    }

    @Test(
        "after the second HTTP 430 no request is sent for a while, then the success of one operation ends the pause"
    )
    func opening() async throws {
        let storefront = try await FakeStorefront.start([attack])
        let clock = ManualClock(isAdvancedBySleeping: true)
        let recorder = EventRecorder()
        let client = try storefront.client(clock: clock, retry: RetryLimits(attempts: 9), observers: [recorder])
        let error = await #expect(throws: IdentityError.self) { try await client.execute(Probe<Shared>()) }
        #expect(error?.code == .securityRejection && error?.kind == .retryLater && storefront.calls.count == 2)
        #expect(recorder.kinds.contains(.paused(.seconds(30))))
        for _ in 0..<5 {
            let refused = await #expect(throws: IdentityError.self) { try await client.execute(Probe<Shared>()) }
            #expect(refused?.code == .securityRejection && refused?.retryAfter == .seconds(30))
            let hint = try #require(error?.hint)
            #expect(refused?.hint == "Wait until retryAfter of this error has passed. \(hint)")
        }
        #expect(storefront.calls.count == 2)
        clock.advance(by: .seconds(30))
        storefront.now { _ in .mugs }
        #expect(try await client.execute(Probe<Shared>()).data.name == "Mugs")
        #expect(try await client.execute(Probe<Shared>()).data.name == "Mugs")
    }

    @Test("if the one operation after the pause is rejected too, the pause doubles, and the operation is not repeated")
    func failedProbe() async throws {
        let storefront = try await FakeStorefront.start([attack])
        let clock = ManualClock(isAdvancedBySleeping: true)
        let recorder = EventRecorder()
        let client = try storefront.client(clock: clock, retry: .standard, observers: [recorder])
        _ = try? await client.execute(Probe<Shared>())
        clock.advance(by: .seconds(30))
        _ = try? await client.execute(Probe<Shared>())
        #expect(storefront.calls.count == 3)
        #expect(recorder.kinds.contains(.paused(.seconds(60))))
    }

    @Test(
        "while one operation tests the shop, all others fail, and after its cancellation the next operation tests the shop"
    )
    func oneProbe() async throws {
        let storefront = try await FakeStorefront.start([attack])
        let clock = ManualClock(isAdvancedBySleeping: true)
        let client = try storefront.client(clock: clock, retry: .none)
        _ = try? await client.execute(Probe<Shared>())
        clock.advance(by: .seconds(30))
        storefront.now { _ in
            try? await Task.sleep(for: .seconds(30))
            return .mugs
        }
        let probe = Task { try await client.execute(Probe<Shared>()) }
        while storefront.calls.count < 2 { await Task.yield() }
        let refused = await #expect(throws: IdentityError.self) { try await client.execute(Probe<Shared>()) }
        #expect(refused?.code == .securityRejection && storefront.calls.count == 2)
        probe.cancel()
        _ = try? await probe.value
        storefront.now { _ in .mugs }
        #expect(try await client.execute(Probe<Shared>()).data.name == "Mugs")
    }

    @Test("many operations that get HTTP 430 at once send at most one more request together")
    func stampede() async throws {
        let storefront = try await FakeStorefront.start([attack])
        let client = try storefront.client(clock: ManualClock(isAdvancedBySleeping: true), retry: .standard)
        await withTaskGroup { group in
            for _ in 0..<20 { group.addTask { _ = try? await client.execute(Probe<Shared>()) } }
        }
        #expect(storefront.calls.count <= 21)
    }

    @Test("after HTTP 430 a short Retry-After is waited for before the one attempt, and a long one is not")
    func retryAfter() async throws {
        let clock = ManualClock(isAdvancedBySleeping: true)
        let short = try await FakeStorefront.start([.status(430, retryAfter: "5"), .mugs])
        _ = try await short.client(clock: clock, retry: .standard).execute(Probe<Shared>())
        #expect(clock.elapsed == .milliseconds(5500))
        let long = try await FakeStorefront.start([.status(430, retryAfter: "60")])
        let client = try long.client(clock: clock, retry: .standard)
        _ = try? await client.execute(Probe<Shared>())
        let refused = await #expect(throws: IdentityError.self) { try await client.execute(Probe<Shared>()) }
        #expect(long.calls.count == 1 && refused?.retryAfter == .seconds(60))
    }
}
