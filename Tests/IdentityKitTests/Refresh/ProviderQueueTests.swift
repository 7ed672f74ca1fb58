import IdentityKit
import Synchronization
import TestDoubles
import Testing

@Suite("Refreshes that wait for a provider")
struct ProviderQueueTests {
    @Test("of many refreshes that begin at the same time, no more wait for the provider than the limit permits")
    func limit() async throws {
        let world = RefreshStage()
        var ids: [SessionID] = []
        for number in 0..<100 { ids.append(try await world.expiredSession("buyer-\(number)")) }
        var limits = SessionManager.RefreshLimits()
        (limits.concurrent, limits.waiting) = (1, 2)
        let manager = try world.manager(limits: limits)
        let refused = Mutex(0)
        let expected = ids.count - 3
        // The refresh that runs ends when all refreshes that may not wait have been refused.
        world.provider.hold {
            for _ in 0..<20_000 where refused.withLock(\.self) < expected {
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for id in ids {
                group.addTask {
                    guard let error = await failure(of: { try await manager.tokens(for: id) }) else { return }
                    #expect(error.code == .refreshBusy)
                    refused.withLock { $0 += 1 }
                }
            }
        }
        #expect(refused.withLock(\.self) == expected)
        #expect(world.provider.requests == 3)
    }
}
