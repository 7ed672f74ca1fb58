import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

extension SpooledResponseTests {
    @Test(
        "a logout revokes the tokens in another machine's stored response, or if it contains none, those that this process could not save",
        arguments: [false, true]
    )
    func logoutAfterLaterResponse(isWithoutTokens: Bool) async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.provider.setGrace(600, rotatesAgain: true)
        world.store.allow(1)
        let manager = try world.manager()
        _ = try await manager.tokens(for: id)
        world.clock.advance(by: .seconds(61))
        world.provider.refuseValidation(IdentityError(.retryLater, .providerUnavailable, "No keys."))
        if isWithoutTokens { world.provider.answer(.page) }
        let other = try world.manager(world.memory)
        await #expect(throws: IdentityError.self) { _ = try await other.tokens(for: id) }
        world.store.allow(.max)
        _ = try await manager.logout(id)
        #expect(world.provider.revoked == [isWithoutTokens ? "refresh-2" : "refresh-3"])
    }

    @Test("the spool keeps a response of a removed session until it can be validated, and then its tokens are revoked")
    func removedSession() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.store.allow(1)
        world.provider.refuseEveryValidation(IdentityError(.retryLater, .providerUnavailable, "No keys."))
        _ = try? await world.manager().tokens(for: id)
        world.store.allow(.max)
        _ = try await world.memory.remove(id)
        _ = try await world.manager().repair()
        #expect(world.store.spooled == [id])
        world.provider.refuseEveryValidation(nil)
        _ = try await world.manager().repair()
        #expect(world.store.spooled.isEmpty)
        #expect(world.provider.revoked == ["refresh-2"])
    }

    @Test("the spool keeps the tokens of a removed session until they can be read, and then the tokens are revoked")
    func unreadableSpool() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.store.allow(1)
        _ = try await world.manager().tokens(for: id)
        _ = try await world.memory.remove(id)
        world.store.breakSpoolReads(true)
        let events = world.heard.kinds.count
        _ = try await world.manager().repair()
        #expect(world.store.spooled == [id] && world.provider.revoked.isEmpty)
        let reports = world.heard.kinds.dropFirst(events)
        #expect(reports.contains { if case .storeFailed = $0 { true } else { false } })
        world.store.breakSpoolReads(false)
        _ = try await world.manager().repair()
        #expect(world.store.spooled.isEmpty && world.provider.revoked == ["refresh-2"])
    }

    @Test("a logout keeps the spooled tokens of its session if they cannot be read, and the next repair revokes them")
    func logoutWithUnreadableSpool() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.store.allow(1)
        _ = try await world.manager().tokens(for: id)
        world.store.breakSpoolReads(true)
        _ = try await world.manager().logout(id)
        #expect(world.store.spooled == [id] && !world.provider.revoked.contains("refresh-2"))
        world.store.breakSpoolReads(false)
        _ = try await world.manager().repair()
        #expect(world.store.spooled.isEmpty && world.provider.revoked.contains("refresh-2"))
    }
}
