import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

@Suite("A server rejects tokens that an earlier refresh received")
struct RecoveredTokenRejectionTests {
    private static let noKeys = IdentityError(.retryLater, .providerUnavailable, "No keys.")

    /// Calls a server that rejects these tokens, and returns the token that it accepts.
    private func call(_ manager: SessionManager, _ id: SessionID, rejecting rejected: String...) async throws -> String
    {
        try await manager.withAccessToken(of: id) { access in
            let token = access.tokens.accessToken.reveal()
            if rejected.contains(token) { throw IdentityError(.retryLater, .accessTokenRefused, "Rejected.") }
            return token
        }
    }

    @Test("tokens from the spool, which a process of the past received, are refreshed if a server rejects them")
    func spooled() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.store.allow(1)
        world.provider.refuseValidation(Self.noKeys)
        _ = try? await world.manager().tokens(for: id)
        #expect(world.store.spooled == [id])
        world.store.allow(.max)
        world.clock.advance(by: .seconds(600))
        #expect(try await call(world.manager(), id, rejecting: "access-2") == "access-3")
        #expect(world.provider.requests == 2)
    }

    @Test("if a server rejects tokens from a stored response in the repeated call, the next call refreshes them")
    func repeatedCall() async throws {
        let world = RefreshStage()
        let tokens = world.provider.mint(Buyer(issuer: "https://id.example", subject: "buyer-1"))
        let manager = try world.manager()
        let id = try await manager.establish(tokens, provider: "journaled").id
        // The response is stored, and can be validated only at the third attempt.
        world.provider.refuseValidation(Self.noKeys, Self.noKeys)
        await #expect(throws: IdentityError.self) { _ = try await manager.refreshTokens(for: id) }
        let error = await failure { try await call(manager, id, rejecting: "access-1", "access-2") }
        #expect(error?.code == .accessTokenRefused && error?.kind == .retryLater)
        #expect(try await call(manager, id, rejecting: "access-1", "access-2") == "access-3")
        #expect(world.provider.requests == 2)
    }

    @Test("while the store cannot save the tokens of an earlier refresh, a server that rejects them is called once")
    func unsaved() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let manager = try world.manager()
        world.store.allow(1)
        _ = try await manager.tokens(for: id)
        let calls = Mutex(0)
        let error = await failure {
            try await manager.withAccessToken(of: id) { (_: ResourceAccess) -> Void in
                calls.withLock { $0 += 1 }
                throw IdentityError(.retryLater, .accessTokenRefused, "Rejected.")
            }
        }
        #expect(error?.code == .accessTokenRefused && error?.kind == .retryLater)
        #expect(calls.withLock { $0 } == 1)
    }
}
