import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

/// A provider of buyer profiles that rejects chosen access tokens.
private final class ProfileProvider: WrappingProvider, BuyerProfileProviding {
    let inner: StrictProvider
    private let refused = Mutex<Set<String>>([])
    private let gate = Mutex<(@Sendable () async -> Void)?>(nil)

    init(_ inner: StrictProvider) {
        self.inner = inner
    }

    func refuse(_ token: String) { refused.withLock { _ = $0.insert(token) } }
    func hold(_ body: (@Sendable () async -> Void)?) { gate.withLock { $0 = body } }

    func buyerProfile(for tokens: TokenSet) async throws -> Buyer {
        let isRefused = refused.withLock { $0.contains(tokens.accessToken.reveal()) }
        if isRefused {
            await gate.withLock { $0 }?()
            throw IdentityError(.retryLater, .accessTokenRefused, "Refused.")
        }
        return tokens.buyer
    }
}

/// A cart that waits for a gate at each refresh, and fails when a session ends.
private final class SlowParticipant: SessionParticipant {
    private let state = Mutex<(told: [Date?], gate: (@Sendable () async -> Void)?)>(([], nil))
    var told: [Date?] { state.withLock { $0.told } }
    func hold(_ gate: (@Sendable () async -> Void)?) { state.withLock { $0.gate = gate } }

    func sessionRefreshed(_ session: Session) async throws {
        let gate = state.withLock { $0.gate }
        await gate?()
        state.withLock { $0.told.append(session.expiresAt) }
    }
    func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {
        throw IdentityError(.retryLater, .providerUnavailable, "The cart is down.")
    }
}

/// Counts the notifications that the provider has ended a session.
private final class EndCounter: SessionParticipant {
    private let count = Mutex(0)
    var told: Int { count.withLock(\.self) }

    func sessionRefreshed(_ session: Session) async throws {}
    func sessionNeedsLogin(_ session: Session) async throws { count.withLock { $0 += 1 } }
    func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {}
}

/// A cart that requests a token with a long validity whenever it is notified of a refresh.
private final class TokenRequestingParticipant: SessionParticipant {
    private let manager: SessionManager
    private let count = Mutex(0)
    var told: Int { count.withLock(\.self) }

    init(_ manager: SessionManager) {
        self.manager = manager
    }

    func sessionRefreshed(_ session: Session) async throws {
        let told = count.withLock { count in
            count += 1
            return count
        }
        // Twenty notifications show an endless loop. Without this limit the test would not end.
        guard told < 20 else { return }
        _ = try await manager.tokens(for: session.id, validFor: .seconds(7200))
    }

    func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {}
}

@Suite("Upkeep of sessions")
struct SessionUpkeepTests {
    private struct World {
        let clock = ManualClock()
        let store = InMemoryStore()
        let provider: ProfileProvider
        let manager: SessionManager

        init() throws {
            provider = ProfileProvider(StrictProvider(clock: clock))
            manager = try SessionManager(provider, store: store, clock: clock)
        }

        func signIn(_ subject: String = "buyer-1") async throws -> (id: SessionID, token: String) {
            let tokens = provider.inner.mint(Buyer(issuer: "https://id.example", subject: subject))
            return (try await manager.establish(tokens, provider: "strict").id, tokens.accessToken.reveal())
        }
    }

    @Test("refreshes that end while a cart processes an earlier one are reported to the cart together, afterwards")
    func followUps() async throws {
        let world = try World()
        let cart = SlowParticipant()
        world.manager.add(cart)
        let (id, _) = try await world.signIn()
        let stop = StoppingPoint()
        cart.hold { await stop.pass() }
        _ = try await world.manager.refreshTokens(for: id)
        await stop.arrived()
        var last: Date?
        for _ in 0..<3 {
            world.clock.advance(by: .seconds(1))
            last = try await world.manager.refreshTokens(for: id).session.expiresAt
        }
        cart.hold(nil)
        stop.release()
        await world.manager.drain()
        #expect(cart.told.count == 2)
        #expect(cart.told.last == last)
    }

    @Test(
        "a cart that requests tokens while it is notified of a refresh causes no further refresh and no further notification"
    )
    func noLoop() async throws {
        let world = try World()
        let cart = TokenRequestingParticipant(world.manager)
        world.manager.add(cart)
        let (id, _) = try await world.signIn()
        _ = try await world.manager.refreshTokens(for: id)
        await world.manager.drain()
        #expect(cart.told == 1)
        #expect(world.provider.inner.refreshes == 1)
        _ = try await world.manager.refreshTokens(for: id)
        await world.manager.drain()
        #expect(cart.told == 2)
    }

    @Test("a session that becomes active again and that the provider ends a second time is reported a second time")
    func endedTwice() async throws {
        let world = try World()
        let counter = EndCounter()
        world.manager.add(counter)
        let (id, _) = try await world.signIn()
        var active = try #require(try await world.store.session(id))
        for times in 1...2 {
            world.provider.inner.fail(with: [IdentityError(.signInAgain, .invalidGrant, "Revoked.")])
            for _ in 1...2 {
                await #expect(throws: IdentityError.self) { try await world.manager.refreshTokens(for: id) }
                await world.manager.drain()
            }
            #expect(counter.told == times)
            // Another process saves newer tokens of the session.
            active.generation = try #require(try await world.store.session(id)).generation
            #expect(try await world.store.replace(active, expecting: active.generation))
            _ = try await world.manager.refreshTokens(for: id)
            active = try #require(try await world.store.session(id))
        }
    }

    @Test("a second end is also reported if only another process has seen the session active since the first end")
    func endedAgainElsewhere() async throws {
        let world = try World()
        let counter = EndCounter()
        world.manager.add(counter)
        let (id, _) = try await world.signIn()
        var active = try #require(try await world.store.session(id))
        let elsewhere = try SessionManager(world.provider, store: world.store, clock: world.clock)
        for (times, manager) in [world.manager, elsewhere].enumerated() {
            active.generation = try #require(try await world.store.session(id)).generation
            #expect(try await world.store.replace(active, expecting: active.generation))
            world.provider.inner.fail(with: [IdentityError(.signInAgain, .invalidGrant, "Revoked.")])
            await #expect(throws: IdentityError.self) { try await manager.refreshTokens(for: id) }
            for _ in 1...2 {
                await #expect(throws: IdentityError.self) { try await world.manager.tokens(for: id) }
                await world.manager.drain()
            }
            #expect(counter.told == times + 1)
        }
    }

    @Test("a failed early refresh is repeated only after the time in the provider's Retry-After")
    func earlyBackOff() async throws {
        let world = try World()
        let (id, _) = try await world.signIn()
        world.clock.advance(by: .seconds(3400))
        let down = IdentityError(
            .retryLater,
            .providerUnavailable,
            "Down.",
            retryAfter: .seconds(45),
            providerResponse: .init(error: "temporarily_unavailable", status: 400)
        )
        world.provider.inner.fail(with: [down])
        for round in 0..<5 {
            #expect(try await world.manager.tokens(for: id).outcome == (round == 0 ? .stored : .stillValid))
            await world.manager.drain()
        }
        #expect(world.provider.inner.refreshes == 1)
        world.clock.advance(by: .seconds(44))
        _ = try await world.manager.tokens(for: id)
        await world.manager.drain()
        #expect(world.provider.inner.refreshes == 1)
        world.clock.advance(by: .seconds(1))
        _ = try await world.manager.tokens(for: id)
        await world.manager.drain()
        #expect(world.provider.inner.refreshes == 2)
    }

    @Test("a rejected token is refreshed once, even if another caller reports the rejection later")
    func lateRefusal() async throws {
        let world = try World()
        let (id, token) = try await world.signIn()
        world.provider.refuse(token)
        let stop = StoppingPoint()
        world.provider.hold { await stop.pass() }
        let late = Task { try await world.manager.buyerProfile(for: id) }
        await stop.arrived()
        world.provider.hold(nil)
        #expect(try await world.manager.buyerProfile(for: id).subject == "buyer-1")
        stop.release()
        #expect(try await late.value.subject == "buyer-1")
        #expect(world.provider.inner.refreshes == 1)
    }

    @Test("a cancelled caller gets an IdentityError, and the refresh completes without the caller")
    func cancelled() async throws {
        let world = try World()
        let (id, _) = try await world.signIn()
        world.clock.advance(by: .seconds(3601))
        let stop = StoppingPoint()
        world.provider.inner.hold { await stop.pass() }
        let caller = Task { try await world.manager.tokens(for: id) }
        await stop.arrived()
        caller.cancel()
        let error = await #expect(throws: IdentityError.self) { _ = try await caller.value }
        #expect(error?.kind == .cancelled)
        stop.release()
        await world.manager.drain()
        #expect(try await world.manager.tokens(for: id).outcome == .stored)
    }

    @Test("a failing cart does not stop a logout")
    func logout() async throws {
        let world = try World()
        let cart = SlowParticipant()
        world.manager.add(cart)
        let (id, _) = try await world.signIn()
        let result = try await world.manager.logout(id)
        #expect(result.problems.map(\.code) == [.providerUnavailable])
        #expect(try await world.manager.sessions().isEmpty)
    }

    @Test("a session that this version cannot decode is omitted from lists, and ends with the buyer's other sessions")
    func logoutAll() async throws {
        let world = try World()
        let (broken, _) = try await world.signIn()
        let (other, _) = try await world.signIn()
        var stored = try #require(try await world.store.session(broken))
        stored.payload = Secret("not what this version wrote")
        #expect(try await world.store.replace(stored, expecting: stored.generation))
        #expect(try await world.manager.sessions().map(\.id) == [other])
        #expect(try await world.manager.signIns(ofBuyerOf: other).map(\.reference) == [other.reference])
        let results = try await world.manager.logoutAll(issuer: "https://id.example", subject: "buyer-1")
        #expect(results.count == 2)
        let ended = try #require(results.first { $0.session.id == broken })
        #expect(ended.problems.map(\.code) == [.storeCorrupt])
        #expect(ended.session.endReason == .unreadable)
        #expect(results.first { $0.session.id == other }?.problems.isEmpty == true)
        #expect(try await world.store.sessions(matching: SessionFilter()).isEmpty)
    }

    @Test(
        "a session with extreme times can be decoded",
        arguments: [-1e300, -1, 0, 1e11, 1e300, .infinity, -.infinity, .nan]
    )
    func absurdTimes(seconds: Double) async throws {
        let world = try World()
        var tokens = world.provider.inner.mint(Buyer(issuer: "https://id.example", subject: "b"))
        tokens.issuedAt = Date(timeIntervalSince1970: seconds)
        tokens.expiresAt = Date(timeIntervalSince1970: seconds)
        tokens.authenticatedAt = Date(timeIntervalSince1970: seconds)
        let id = try await world.manager.establish(tokens, provider: "strict").id
        #expect(try await world.manager.session(id).expiresAt != nil)
    }
}
