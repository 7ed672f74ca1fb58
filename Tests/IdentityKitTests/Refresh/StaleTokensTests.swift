import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization
import Testing

@Suite("Tokens that are too old to be returned")
struct StaleTokensTests {
    @Test("a failed refresh of another process in the meantime does not count as a refresh")
    func givenBack() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let other = try world.manager(world.memory)
        let store = InterruptedStore(world.memory)
        // After this caller reads the session and before it gets the lock, another process claims the session, cannot
        // connect, and releases the claim.
        store.interrupt(afterRead: 1) {
            let cause = HTTPTransportError(code: .connectionFailed, phase: .notSent, message: "Refused.")
            world.provider.answer(.refused(IdentityError(.retryLater, .providerUnavailable, "Gone.", cause: cause)))
            _ = try? await other.tokens(for: id)
            world.provider.answer()
        }
        let got = try await world.manager(store).tokens(for: id)
        #expect(got.tokens.accessToken.reveal() == "access-2")
        #expect(got.outcome == .refreshedLate)
    }

    @Test("if a repair saves new tokens while a call reads the session, the call does not return the old ones")
    func savedDuringTheRead() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let store = InterruptedStore(world.store)
        let manager = try world.manager(store)
        _ = try await manager.tokens(for: id)
        world.store.allow(1)
        #expect(try await manager.refreshTokens(for: id).tokens.accessToken.reveal() == "access-3")
        world.store.allow(.max)
        store.interrupt(afterRead: 1) { _ = try? await manager.repair() }
        #expect(try await manager.tokens(for: id).tokens.accessToken.reveal() == "access-3")
        #expect(world.provider.requests == 2)
    }

    @Test("if a repair replaces a session's end while a call reads the session, the buyer stays signed in")
    func endReplacedDuringTheRead() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let store = InterruptedStore(world.store)
        let manager = try world.manager(store)
        _ = try await manager.tokens(for: id)
        world.store.allow(1)
        #expect(try await manager.refreshTokens(for: id).tokens.accessToken.reveal() == "access-3")
        // Another machine uses the old refresh token, which the provider no longer accepts.
        world.provider.answer(.refused(IdentityError(.signInAgain, .invalidGrant, "Used.")))
        _ = try? await world.manager(world.memory).refreshTokens(for: id)
        world.provider.answer()
        #expect(try await world.manager(world.memory).session(id).needsLogin)
        world.store.allow(.max)
        store.interrupt(afterRead: 1) { _ = try? await manager.repair() }
        #expect(try await manager.tokens(for: id).tokens.accessToken.reveal() == "access-3")
    }

    @Test("tokens that expired while they waited to be saved are saved, and refreshed at once")
    func expiredInTheSpool() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.store.allow(2)
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.store.spooled == [id])
        world.clock.advance(by: .seconds(3700))
        world.store.allow(.max)
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-3")
        #expect(world.provider.requests == 2)
        #expect(world.provider.reuses == 0)
        #expect(world.store.spooled.isEmpty)
    }

    @Test("tokens that expired while the store refuses writes are not returned, and the session continues")
    func expiredInMemory() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.store.allow(2)
        let manager = try world.manager()
        #expect(try await manager.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        world.clock.advance(by: .seconds(3700))
        let error = await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
        #expect(error?.kind == .retryLater)
        #expect(error?.code == .storeFailed)
        world.store.allow(.max)
        #expect(try await manager.tokens(for: id).tokens.accessToken.reveal() == "access-3")
    }

    @Test("while the store cannot be read, unsaved tokens are not returned after the session's maximum lifetime")
    func endedInMemory() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let manager = try world.manager(maximumLifetime: .seconds(5400))
        world.store.allow(1)
        world.store.breakSpool()
        #expect(try await manager.tokens(for: id).outcome == .refreshedLate)
        world.store.breakReads(true)
        #expect(try await manager.tokens(for: id).outcome == .stillValid)
        world.clock.advance(by: .seconds(1900))
        await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
    }

    @Test("tokens of an old response are refreshed for a caller that needs them longer than their lifetime")
    func recovered() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let manager = try world.manager()
        world.provider.refuseValidation(IdentityError(.retryLater, .providerUnavailable, "No keys."))
        await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
        world.clock.advance(by: .seconds(1800))
        // The repair accepts the response, but its tokens are half an hour old.
        _ = try await manager.repair()
        let got = try await manager.tokens(for: id, validFor: .seconds(7200))
        #expect(got.tokens.accessToken.reveal() == "access-3")
        #expect(world.provider.requests == 2)
        #expect(world.provider.reuses == 0)
    }
}

/// A store that runs an action after one of the reads.
private final class InterruptedStore<Inner: SessionStore>: WrappingStore {
    let inner: Inner
    private let state = Mutex<(reads: Int, body: (@Sendable () async -> Void)?)>((0, nil))

    init(_ inner: Inner) {
        self.inner = inner
    }

    func interrupt(afterRead read: Int, _ body: @escaping @Sendable () async -> Void) {
        state.withLock { $0 = (read, body) }
    }

    func session(_ id: SessionID) async throws -> StoredSession? {
        let body = state.withLock { state in
            state.reads -= 1
            return state.reads == 0 ? state.body : nil
        }
        let found = try await inner.session(id)
        await body?()
        return found
    }
}
