import FoundationEssentials
import IdentityKit
import IdentityTesting
import Testing

@Suite("Unsaved tokens of tenants that share a store")
struct SharedSpoolTests {
    /// Two shops with one store and one spool.
    ///
    /// Each has its own provider, and both providers have the same name.
    private struct World {
        let clock = ManualClock(isAdvancedBySleeping: true)
        let store = SpoolingStore(InMemoryStore())
        let providers: [JournaledProvider]

        init() {
            providers = ["shop-1", "shop-2"].map { [clock] in JournaledProvider(clock: clock, name: "login", tenant: $0)
            }
        }

        func manager(of shop: Int) throws -> SessionManager {
            var configuration = SessionManager.Configuration()
            configuration.tenant = "shop-\(shop)"
            return try SessionManager(providers[shop - 1], store: store, clock: clock, configuration: configuration)
        }

        /// Creates a session whose new tokens the store does not save, and removes the session.
        func removeUnsaved(at shop: Int) async throws -> (manager: SessionManager, id: SessionID) {
            let tokens = providers[shop - 1].mint(Buyer(issuer: "https://id.example", subject: "buyer-1"))
            let manager = try manager(of: shop)
            let id = try await manager.establish(tokens, provider: "login").id
            clock.advance(by: .seconds(3601))
            store.allow(1)
            _ = try await manager.tokens(for: id)
            store.allow(.max)
            _ = try await store.inner.remove(id)
            return (manager, id)
        }
    }

    @Test("a shop's repair neither removes nor revokes the spooled tokens of another shop")
    func otherShop() async throws {
        let world = World()
        let id = try await world.removeUnsaved(at: 2).id
        #expect(try await world.manager(of: 1).repair() == RepairReport())
        #expect(world.store.spooled == [id])
        #expect(world.providers[0].revoked.isEmpty)
        _ = try await world.manager(of: 2).repair()
        #expect(world.store.spooled.isEmpty)
        #expect(world.providers[1].revoked == ["refresh-2"])
    }

    @Test("a shop's repair revokes tokens of a removed session that exist in memory only")
    func memoryOnly() async throws {
        let world = World()
        world.store.breakSpool()
        let manager = try await world.removeUnsaved(at: 1).manager
        #expect(try await manager.repair() == RepairReport())
        #expect(world.providers[0].revoked == ["refresh-2"])
        #expect(await manager.drain().isEmpty)
    }
}
