import FoundationEssentials
import IdentityKit
import IdentityTesting
import Testing

@Suite("Clocks that jump")
struct ClockJumpTests {
    @Test("a wall clock that is set back does not make an expired token valid again")
    func back() async throws {
        let world = RefreshStage()
        let tokens = world.provider.mint(Buyer(issuer: "https://id.example", subject: "b"))
        let manager = try world.manager()
        let id = try await manager.establish(tokens, provider: "journaled").id
        #expect(try await manager.tokens(for: id).outcome == .stored)
        world.clock.advance(by: .seconds(3601))
        world.clock.jump(by: -3000)
        #expect(try await manager.tokens(for: id).outcome == .refreshedLate)
    }

    @Test("the process that refreshed a token knows its age, also when the store rounds times")
    func rounded() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.clock.advance(by: .microseconds(400))
        let manager = try world.manager()
        #expect(try await manager.tokens(for: id).outcome == .refreshedLate)
        world.clock.advance(by: .seconds(3700))
        world.clock.jump(by: -3000)
        #expect(try await manager.tokens(for: id).outcome == .refreshedLate)
    }

    @Test("a process that never saw the tokens refreshes tokens that were issued in the future")
    func future() async throws {
        let world = RefreshStage()
        let tokens = world.provider.mint(Buyer(issuer: "https://id.example", subject: "b"))
        let id = try await world.manager().establish(tokens, provider: "journaled").id
        world.clock.jump(by: -7200)
        #expect(try await world.manager().tokens(for: id).outcome == .refreshedLate)
        #expect(try await world.manager().tokens(for: id).outcome == .stored)
    }

    @Test("tokens that seemed to be issued in the future do not become valid when the wall clock reaches their time")
    func futureReached() async throws {
        let world = RefreshStage()
        let tokens = world.provider.mint(Buyer(issuer: "https://id.example", subject: "b"))
        let id = try await world.manager().establish(tokens, provider: "journaled").id
        let manager = try world.manager()
        world.provider.answerAll(.refused(IdentityError(.retryLater, .providerUnavailable, "Down.")))
        world.clock.jump(by: -7200)
        await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
        // The tokens live for an hour.
        world.clock.advance(by: .seconds(7100))
        await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
    }

    @Test("a clock that jumps ahead and back costs one refresh, not one for each call")
    func glitch() async throws {
        let world = RefreshStage()
        let tokens = world.provider.mint(Buyer(issuer: "https://id.example", subject: "b"))
        let manager = try world.manager()
        let id = try await manager.establish(tokens, provider: "journaled").id
        _ = try await manager.tokens(for: id)
        world.clock.jump(by: 500_000)
        _ = try await manager.tokens(for: id)
        world.clock.jump(by: -500_000)
        for _ in 0..<5 { _ = try await manager.tokens(for: id) }
        await manager.drain()
        #expect(world.provider.requests <= 2)
    }

    @Test("a sweep removes no session too early after the wall clock was set ahead")
    func sweep() async throws {
        let world = RefreshStage()
        let tokens = world.provider.mint(Buyer(issuer: "https://id.example", subject: "b"))
        let manager = try world.manager(world.memory)
        let id = try await manager.establish(tokens, provider: "journaled").id
        world.clock.jump(by: 400 * 86_400)
        #expect(try await manager.sweep() == 0)
        #expect(try await world.memory.session(id) != nil)
        world.clock.jump(by: -400 * 86_400)
        world.clock.advance(by: .seconds(91 * 86_400))
        #expect(try await manager.sweep() == 1)
    }

    @Test("tokens that were first seen while the wall clock was ahead are valid again after it is corrected")
    func ahead() async throws {
        let world = RefreshStage()
        let tokens = world.provider.mint(Buyer(issuer: "https://id.example", subject: "b"))
        let id = try await world.manager().establish(tokens, provider: "journaled").id
        let manager = try world.manager()
        world.provider.answerAll(.refused(IdentityError(.retryLater, .providerUnavailable, "Down.")))
        world.clock.jump(by: 7200)
        await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
        world.clock.jump(by: -7200)
        #expect(try await manager.tokens(for: id).outcome == .stored)
    }
}
