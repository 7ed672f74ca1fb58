import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

@Suite("Refreshes whose new tokens have fewer scopes")
struct ReducedTokensTests {
    /// An expired session whose tokens have a scope that no refresh returns.
    private func expiredSession(_ world: RefreshStage) async throws -> SessionID {
        var tokens = world.provider.mint(Buyer(issuer: "https://id.example", subject: "buyer-1"))
        tokens.scopes = ["openid", "orders:read"]
        let id = try await world.manager().establish(tokens, provider: "journaled").id
        world.clock.advance(by: .seconds(3601))
        return id
    }

    private func losses(_ world: RefreshStage) -> [[String]] {
        world.heard.kinds.compactMap { if case .tokensReduced(let losses) = $0 { losses.scopes } else { nil } }
    }

    @Test("if a repair completes the refresh, an event reports the lost scopes")
    func repair() async throws {
        let world = RefreshStage()
        world.provider.setGrace(600)
        let id = try await expiredSession(world)
        try await world.die(at: id)
        #expect(losses(world).isEmpty)
        #expect(try await world.manager().repair().repaired == 1)
        #expect(losses(world) == [["orders:read"]])
    }

    @Test("while the store cannot save the new tokens, one event reports the lost scopes")
    func unsaved() async throws {
        let world = RefreshStage()
        let id = try await expiredSession(world)
        world.store.allow(1)
        let manager = try world.manager()
        for _ in 0..<3 { #expect(try await manager.tokens(for: id).losses?.scopes == ["orders:read"]) }
        #expect(losses(world) == [["orders:read"]])
        world.store.allow(.max)
        #expect(try await manager.repair().repaired == 1)
        #expect(losses(world) == [["orders:read"]])
    }
}
