import IdentityKit
import TestDoubles
import Testing

@Suite("Refreshes that wait for a provider")
struct ProviderQueueTests {
    @Test("of many refreshes that begin at once, no more wait than the limit permits", .timeLimit(.minutes(5)))
    func limit() async throws {
        let world = RefreshStage()
        var ids: [SessionID] = []
        for number in 0..<100 { ids.append(try await world.expiredSession("buyer-\(number)")) }
        var limits = SessionManager.RefreshLimits()
        (limits.concurrent, limits.waiting) = (1, 2)
        let manager = try world.manager(limits: limits)
        let gate = Gate()
        world.provider.hold { await gate.wait() }
        let refused = await withTaskGroup(of: IdentityError?.self) { group in
            for id in ids {
                group.addTask { await failure { try await manager.tokens(for: id) } }
            }
            var refused = 0
            for await error in group {
                guard let error else { continue }
                #expect(error.code == .refreshBusy)
                refused += 1
                // The refresh that runs ends when all refreshes that may not wait have been refused.
                if refused == ids.count - 3 { gate.open() }
            }
            return refused
        }
        #expect(refused == ids.count - 3)
        #expect(world.provider.requests == 3)
    }
}
