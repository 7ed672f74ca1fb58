import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

/// A store whose next writes of attachments, pending logins and pending logouts fail.
private final class FailingWrites: WrappingStore {
    let inner = InMemoryStore()
    private let failures = Mutex(0)

    func fail(_ count: Int) { failures.withLock { $0 = count } }

    private func checkWrite() throws {
        try Task.checkCancellation()
        let fails = failures.withLock { count in
            defer { count = max(0, count - 1) }
            return count > 0
        }
        if fails { throw IdentityError(.retryLater, .storeBusy, "Busy.") }
    }

    func insert(_ attempt: StoredLoginAttempt) async throws {
        try checkWrite()
        try await inner.insert(attempt)
    }

    func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool {
        try checkWrite()
        return try await inner.setAttachment(name, to: payload, of: id, expecting: revision)
    }
}

@Suite("Sessions")
struct SessionManagerTests {
    @Test("a callback without a valid state or at another provider's redirect URI is refused")
    func misplaced() async throws {
        let world = try LoginStage()
        let (started, callback) = try await world.beginAndCallback()
        let error = await #expect(throws: IdentityError.self) {
            _ = try await world.manager.complete(callback, browserBinding: started.browserBinding, provider: "other")
        }
        #expect(error?.code == .responseIssuerMismatch)
        for (form, code) in [
            ("code=c", IdentityError.Code.stateInvalid), ("code=c&state=", .stateInvalid),
            ("code=c&state=a&state=a", .callbackInvalid),
        ] {
            let callback = try LoginCallback(form: Array(form.utf8))
            let error = await #expect(throws: IdentityError.self) {
                _ = try await world.manager.complete(callback, browserBinding: started.browserBinding)
            }
            #expect(error?.code == code)
        }
        #expect(try await world.manager.sessions().isEmpty)
    }

    @Test("no session is stored for tokens without issuer or subject")
    func namelessTokens() async throws {
        let world = try LoginStage()
        for buyer in [Buyer(issuer: "", subject: "buyer-1"), Buyer(issuer: "https://id.example", subject: "")] {
            let error = await #expect(throws: IdentityError.self) {
                try await world.manager.establish(world.provider.mint(buyer), provider: "strict")
            }
            #expect(error?.kind == .rejected && error?.code == .idTokenSubject)
        }
        #expect(try await world.manager.sessions().isEmpty)
    }

    @Test("a thousand concurrent callers of an expired session use the refresh token once")
    func singleFlight() async throws {
        let world = try LoginStage()
        let session = try await world.signIn()
        world.clock.advance(by: .seconds(3601))
        let outcomes = try await withThrowingTaskGroup(of: (String, TokenOutcome).self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    let answer = try await world.manager.tokens(for: session.id)
                    return (answer.tokens.accessToken.reveal(), answer.outcome)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(world.provider.refreshes == 1)
        #expect(world.provider.reuses == 0)
        #expect(Set(outcomes.map(\.0)).count == 1)
        #expect(outcomes.filter { $0.1 == .refreshedLate }.count == 1)
    }

    @Test("a cancelled caller does not stop the refresh for the others")
    func cancellation() async throws {
        let world = try LoginStage()
        let session = try await world.signIn()
        world.clock.advance(by: .seconds(3601))
        let stop = StoppingPoint()
        world.provider.hold { await stop.pass() }
        let first = Task { try await world.manager.tokens(for: session.id) }
        await stop.arrived()
        let second = Task { try await world.manager.tokens(for: session.id) }
        first.cancel()
        await #expect(throws: (any Error).self) { _ = try await first.value }
        stop.release()
        let answer = try await second.value
        #expect(world.provider.refreshes == 1)
        #expect(answer.session.expiresAt == world.clock.now + 3600)
    }

    @Test("a valid token is returned unchanged, and refreshed in the background when it is due")
    func earlyRefresh() async throws {
        let world = try LoginStage()
        let session = try await world.signIn()
        #expect(try await world.manager.tokens(for: session.id).outcome == .stored)
        world.clock.advance(by: .seconds(3590 - 60))
        let old = try await world.manager.tokens(for: session.id)
        #expect(old.outcome == .stored)
        await world.manager.drain()
        #expect(world.provider.refreshes == 1)
        let new = try await world.manager.tokens(for: session.id)
        #expect(!new.tokens.accessToken.isEqual(to: old.tokens.accessToken))
    }

    @Test("an outage ends no session: the old token is used until it expires, then the error is retryLater")
    func outage() async throws {
        let world = try LoginStage()
        let session = try await world.signIn()
        let busy = IdentityError.ProviderResponse(error: "temporarily_unavailable", status: 400)
        let down = IdentityError(.retryLater, .providerUnavailable, "Down.", providerResponse: busy)
        world.clock.advance(by: .seconds(3570))
        world.provider.fail(with: [down, down])
        #expect(try await world.manager.tokens(for: session.id).outcome == .stillValid)
        world.clock.advance(by: .seconds(60))
        let error = await #expect(throws: IdentityError.self) { _ = try await world.manager.tokens(for: session.id) }
        #expect(error?.kind == .retryLater)
        world.clock.advance(by: .seconds(1))
        #expect(try await world.manager.tokens(for: session.id).outcome == .refreshedLate)
    }

    @Test(
        "if the provider rejects the client's configuration, no session is changed",
        arguments: [IdentityError.Code.invalidClient, .unauthorizedClient, .unsupportedGrantType]
    )
    func misconfiguration(code: IdentityError.Code) async throws {
        let world = try LoginStage()
        let session = try await world.signIn()
        world.clock.advance(by: .seconds(3601))
        world.provider.fail(with: [IdentityError(.configuration, code, "Ours.")])
        await #expect(throws: IdentityError.self) { _ = try await world.manager.tokens(for: session.id) }
        #expect(try await world.manager.tokens(for: session.id).outcome == .refreshedLate)
    }

    @Test("after invalid_grant the buyer must sign in again, the token is not sent again, and the session stays stored")
    func invalidGrant() async throws {
        let world = try LoginStage()
        let session = try await world.signIn()
        world.provider.revokeAll()
        world.clock.advance(by: .seconds(3601))
        for _ in 0..<3 {
            let error = await #expect(throws: IdentityError.self) {
                _ = try await world.manager.tokens(for: session.id)
            }
            #expect(error?.kind == .signInAgain)
            #expect(error?.code == .sessionEnded)
        }
        let forced = await #expect(throws: IdentityError.self) {
            _ = try await world.manager.refreshTokens(for: session.id)
        }
        #expect(forced?.code == .sessionEnded)
        #expect(world.provider.refreshes == 1)
        #expect(try await world.manager.session(session.id).needsLogin)
    }

    @Test("after a lost response the same refresh token is sent again immediately")
    func lostResponse() async throws {
        let world = try LoginStage()
        let session = try await world.signIn()
        world.clock.advance(by: .seconds(3601))
        let lost = HTTPTransportError(code: .connectionLost, phase: .ambiguous, message: "Reset.")
        world.provider.fail(with: [IdentityError(.retryLater, .providerUnavailable, "Lost.", cause: lost)])
        #expect(try await world.manager.tokens(for: session.id).outcome == .refreshedLate)
        #expect(world.provider.refreshes == 2)
    }

    @Test("the response to a refresh does not restore a session that was logged out in the meantime")
    func logoutDuringRefresh() async throws {
        let world = try LoginStage()
        let session = try await world.signIn()
        world.clock.advance(by: .seconds(3601))
        let stop = StoppingPoint()
        world.provider.hold { await stop.pass() }
        let refresh = Task { try await world.manager.tokens(for: session.id) }
        await stop.arrived()
        let result = try await world.manager.logout(session.id)
        #expect(result.browserURL?.text == "https://id.example/logout")
        stop.release()
        let error = await #expect(throws: IdentityError.self) { _ = try await refresh.value }
        #expect(error?.code == .sessionUnknown)
        #expect(try await world.manager.sessions().isEmpty)
    }

    @Test("a session without a refresh token is used until it expires, then requires a login")
    func notRefreshable() async throws {
        let world = try LoginStage()
        var tokens = world.provider.mint(Buyer(issuer: "https://id.example", subject: "buyer-1"))
        tokens.refreshToken = nil
        let session = try await world.manager.establish(tokens, provider: "strict")
        #expect(!session.isRefreshable)
        world.clock.advance(by: .seconds(3580))
        #expect(try await world.manager.tokens(for: session.id).outcome == .stillValid)
        world.clock.advance(by: .seconds(30))
        let error = await #expect(throws: IdentityError.self) { _ = try await world.manager.tokens(for: session.id) }
        #expect(error?.code == .notRefreshable)
        #expect(error?.kind == .signInAgain)
    }

    @Test("logoutAll ends every session of a buyer and no other session")
    func logoutAll() async throws {
        let world = try LoginStage()
        _ = try await world.signIn()
        _ = try await world.signIn()
        let other = try await world.manager.establish(
            world.provider.mint(Buyer(issuer: "https://id.example", subject: "buyer-2")),
            provider: "strict"
        )
        let ended = try await world.manager.logoutAll(issuer: "https://id.example", subject: "buyer-1")
        #expect(ended.count == 2)
        #expect(try await world.manager.sessions().map(\.id) == [other.id])
    }

    @Test("the last use of a session is stored a minute after the store failed")
    func useAfterFailure() async throws {
        let clock = ManualClock()
        let store = FailingWrites()
        let provider = StrictProvider(clock: clock)
        let manager = try SessionManager(provider, store: store, clock: clock)
        let tokens = provider.mint(Buyer(issuer: "https://id.example", subject: "buyer-1"))
        let session = try await manager.establish(tokens, provider: "strict")
        var lastUses: [TimeInterval] = []
        clock.advance(by: .seconds(900))
        store.fail(1)
        for pause in [0, 59, 1, 899, 1] {
            clock.advance(by: .seconds(pause))
            await manager.noteUse(of: session)
            let signIn = try #require(try await manager.signIns(ofBuyerOf: session.id).first)
            lastUses.append(signIn.lastUsedAt.timeIntervalSince(signIn.createdAt))
        }
        #expect(lastUses == [0, 0, 960, 960, 1860])
    }

    @Test("a posted callback is kept if the store fails twice, and if the request is cancelled")
    func keptCallback() async throws {
        for failures in [0, 2] {
            let clock = ManualClock(isAdvancedBySleeping: true)
            let store = FailingWrites()
            let manager = try SessionManager(StrictProvider(clock: clock), store: store, clock: clock)
            let started = try await manager.begin("strict")
            let state = try #require(started.url.query)
            let posted = try LoginCallback(form: Array("code=c&\(state)".utf8))
            store.fail(failures)
            let gate = Gate()
            let request = Task {
                await gate.wait()
                try await manager.keepPosted(posted, browserBinding: started.browserBinding, provider: "strict")
            }
            if failures == 0 { request.cancel() }
            gate.open()
            try await request.value
            let bare = try LoginCallback(form: Array(state.utf8))
            _ = try await manager.complete(bare, browserBinding: started.browserBinding, provider: "strict")
        }
    }
}
