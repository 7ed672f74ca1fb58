import FoundationEssentials
import IdentityKit
import IdentityTesting
import Testing

@Suite("Responses that another machine stores while this one has unsaved tokens")
struct LaterResponseTests {
    /// Lets a machine lose its lock before it saves its response, while another one refreshes the session and stores its own response.
    ///
    /// The provider gives both of them tokens: number 2 to this machine and, unless it sends a page, number 3 to the other one.
    private func refresh(
        _ world: RefreshStage,
        _ node: LeasedNode,
        _ shared: LeasedNode.Shared,
        _ id: SessionID,
        otherGets answer: JournaledProvider.Answer? = nil
    ) async throws -> SessionTokens {
        world.provider.setGrace(600, rotatesAgain: true)
        // The other machine saves its claim and its response, and then ends.
        let crashing = FaultyStore(world.memory)
        crashing.script([nil, nil] + Array(repeating: .fails, count: 40))
        node.before(
            {},
            {
                shared.loseLease(of: id)
                if let answer { world.provider.answer(answer) }
                world.provider.refuseValidation(IdentityError(.retryLater, .providerUnavailable, "No keys."))
                _ = try? await world.manager(crashing).tokens(for: id)
                world.provider.refuseValidation()
            }
        )
        return try await world.manager(node).tokens(for: id)
    }

    @Test("tokens of a machine that lost its lock do not overwrite a later response with newer tokens")
    func newerTokens() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let shared = LeasedNode.Shared()
        let node = LeasedNode(world.memory, shared)
        #expect(try await refresh(world, node, shared, id).tokens.accessToken.reveal() == "access-3")
        #expect(try await world.manager(world.memory).tokens(for: id).tokens.accessToken.reveal() == "access-3")
        #expect(world.provider.requests == 2)
        #expect(node.spooled.isEmpty)
    }

    @Test("tokens of a machine that lost its lock are saved if the later response contains no token")
    func withoutToken() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let shared = LeasedNode.Shared()
        let node = LeasedNode(world.memory, shared)
        let got = try await refresh(world, node, shared, id, otherGets: .page)
        #expect(got.tokens.accessToken.reveal() == "access-2")
        #expect(try await world.manager(world.memory).tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.provider.requests == 2)
        #expect(node.spooled.isEmpty)
    }

    @Test("a known response of another login is reported until the later response of another machine is accepted")
    func knownMismatch() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.provider.setGrace(600, rotatesAgain: true)
        world.store.allow(1)
        let foreign = IdentityError(.rejected, .idTokenSubject, "Another buyer.", isAttackSuspected: true)
        world.provider.refuseEveryValidation(foreign)
        let manager = try world.manager()
        let first = await #expect(throws: IdentityError.self) { try await manager.tokens(for: id) }
        #expect(first?.isAttackSuspected == true && world.store.spooled == [id])
        let crashing = FaultyStore(world.memory)
        crashing.script([nil, nil] + Array(repeating: .fails, count: 40))
        world.clock.advance(by: .seconds(61))
        world.provider.refuseEveryValidation(IdentityError(.retryLater, .providerUnavailable, "No keys."))
        _ = try? await world.manager(crashing).tokens(for: id)
        world.store.allow(.max)
        let second = await #expect(throws: IdentityError.self) { try await manager.tokens(for: id) }
        #expect(second?.isAttackSuspected == true)
        world.provider.refuseEveryValidation(nil)
        #expect(try await manager.tokens(for: id).tokens.accessToken.reveal() == "access-3")
    }

    @Test(
        "spooled tokens are kept until the later response is validated, and saved if it contains no token",
        arguments: [false, true]
    )
    func spooled(isInMemory: Bool) async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.store.allow(1)
        let manager = try world.manager()
        #expect(try await manager.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.store.spooled == [id])
        // Another machine has neither the memory nor the spool of the first one.
        let crashing = FaultyStore(world.memory)
        crashing.script([nil, nil] + Array(repeating: .fails, count: 40))
        world.provider.answer(.page)
        world.clock.advance(by: .seconds(61))
        _ = try? await world.manager(crashing).tokens(for: id)
        world.store.allow(.max)
        world.provider.refuseValidation(IdentityError(.retryLater, .providerUnavailable, "No metadata."))
        let current = try isInMemory ? manager : world.manager()
        _ = try await current.repair()
        #expect(world.store.spooled == [id])
        #expect(try await current.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(try await world.manager(world.memory).tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.store.spooled.isEmpty)
        #expect(world.provider.reuses == 0)
    }
}
