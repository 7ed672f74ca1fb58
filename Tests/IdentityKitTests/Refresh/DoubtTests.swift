import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

@Suite("Sessions in doubt")
struct DoubtTests {
    private static func answered(_ status: Int, _ error: String? = nil) -> IdentityError {
        IdentityError(
            .retryLater,
            .providerUnavailable,
            "Answered with \(status).",
            providerResponse: .init(error: error, status: status)
        )
    }

    private static func transport(_ phase: HTTPTransportError.Phase) -> IdentityError {
        let cause = HTTPTransportError(code: .connectionLost, phase: phase, message: "Gone.")
        return IdentityError(.retryLater, .providerUnavailable, "Gone.", cause: cause)
    }

    /// A failed request, and whether the session is in doubt afterwards.
    struct Failure: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let error: IdentityError
        let isDoubt: Bool
        init(_ name: String, _ error: IdentityError, isDoubt: Bool) {
            testDescription = name
            self.error = error
            self.isDoubt = isDoubt
        }
    }

    static let failures: [Failure] = [
        Failure("connection refused", transport(.notSent), isDoubt: false),
        Failure("connection lost after sending", transport(.ambiguous), isDoubt: true),
        Failure("500 without a code", answered(500), isDoubt: true),
        Failure("502", answered(502), isDoubt: true),
        Failure("504", answered(504), isDoubt: true),
        Failure("502 with a gateway's own JSON", answered(502, "Bad Gateway"), isDoubt: true),
        Failure("401 with an empty code", answered(401, ""), isDoubt: true),
        Failure("200 with an HTML page", answered(200), isDoubt: true),
        Failure("200 with broken JSON", IdentityError(.rejected, .tokenResponseInvalid, "Broken."), isDoubt: true),
        Failure("a redirect", answered(302), isDoubt: true),
        Failure("a redirect with a code", answered(303, "invalid_request"), isDoubt: true),
        Failure("503", answered(503), isDoubt: false),
        Failure("429", answered(429), isDoubt: false),
        Failure("temporarily_unavailable", answered(400, "temporarily_unavailable"), isDoubt: false),
        Failure("server_error with 500", answered(500, "server_error"), isDoubt: false),
        Failure("invalid_request", answered(400, "invalid_request"), isDoubt: false),
        Failure("invalid_client", IdentityError(.configuration, .invalidClient, "Client."), isDoubt: false),
        Failure(
            "invalid_grant that a new login does not fix",
            IdentityError(.rejected, .invalidGrant, "No."),
            isDoubt: false
        ),
        Failure("an unknown code", IdentityError(.rejected, .unexpectedResponse, "What?"), isDoubt: false),
        Failure(
            "provider_unavailable that does not say what happened",
            IdentityError(.retryLater, .providerUnavailable, "Failed."),
            isDoubt: true
        ),
        Failure(
            "no signature, so nothing was sent",
            IdentityError(.retryLater, .systemFailure, "No signature."),
            isDoubt: false
        ),
    ]

    @Test(
        "each failure keeps the session signed in, and leaves it in doubt only if the token may have been used",
        arguments: failures
    )
    func classes(_ failure: Failure) async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.provider.answer(.refused(failure.error), .refused(failure.error))
        let error = await #expect(throws: IdentityError.self) { _ = try await world.manager().tokens(for: id) }
        #expect(error?.code == failure.error.code)
        #expect(error?.kind != .signInAgain)
        // If the session is in doubt, the manager immediately sent the same token a second time.
        #expect(world.provider.requests == (failure.isDoubt ? 2 : 1))
        let session = try await world.manager().session(id)
        #expect(session.isInDoubt == failure.isDoubt)
        #expect(!session.needsLogin)
        let inDoubt = try await world.store.sessions(matching: SessionFilter(isInDoubt: true))
        #expect(inDoubt.isEmpty == !failure.isDoubt)
        world.provider.answer()
        #expect(try await world.manager().tokens(for: id).outcome == .refreshedLate)
    }

    @Test("an error of an unknown type leaves the session in doubt, because the token may have been sent")
    func foreignError() async throws {
        struct ConnectionClosed: Error {}
        let world = try LoginStage()
        let session = try await world.signIn()
        world.clock.advance(by: .seconds(3601))
        world.provider.fail(with: [ConnectionClosed(), ConnectionClosed()])
        let error = await #expect(throws: IdentityError.self) { _ = try await world.manager.tokens(for: session.id) }
        #expect(error?.code == .systemFailure && error?.cause is ConnectionClosed)
        #expect(world.provider.refreshes == 2)
        #expect(try await world.manager.session(session.id).isInDoubt)
        // Only the provider knows whether the token was used, and says so in a refusal.
        let another = try await world.signIn()
        world.clock.advance(by: .seconds(3601))
        let unsent = IdentityError(.retryLater, .providerUnavailable, "Not sent.")
        world.provider.fail(with: [RefreshRefusal(.transient, unsent)])
        await #expect(throws: IdentityError.self) { _ = try await world.manager.tokens(for: another.id) }
        #expect(try await !world.manager.session(another.id).isInDoubt)
    }

    @Test("inside the provider's grace window, another process gets new tokens although a response was lost")
    func grace() async throws {
        let world = RefreshStage()
        world.provider.setGrace(30)
        let id = try await world.expiredSession()
        try await world.die(at: id)
        #expect(try await world.manager().session(id).isInDoubt)
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.provider.reuses == 0)
        #expect(try await !world.manager().session(id).isInDoubt)
    }

    @Test("without a grace window, a lost response ends the session as lost_rotation; a revocation ends it as revoked")
    func reasons() async throws {
        let world = RefreshStage()
        let lost = try await world.expiredSession("lost")
        try await world.die(at: lost)
        let error = await #expect(throws: IdentityError.self) { _ = try await world.manager().tokens(for: lost) }
        #expect(error?.code == .rotationLost)
        #expect(error?.kind == .signInAgain)
        #expect(try await world.manager().session(lost).endReason == .lostRotation)
        // The error is thrown again without a request to the provider.
        let requests = world.provider.requests
        let again = await #expect(throws: IdentityError.self) { _ = try await world.manager().tokens(for: lost) }
        #expect(again?.code == .rotationLost)
        #expect(world.provider.requests == requests)

        let revoked = try await world.expiredSession("revoked")
        world.provider.kill()
        let ended = await #expect(throws: IdentityError.self) { _ = try await world.manager().tokens(for: revoked) }
        #expect(ended?.code == .sessionEnded)
        #expect(try await world.manager().session(revoked).endReason == .revoked)
    }

    @Test("if the provider rejects a token from a backup, the session ends as lost_rotation")
    func restored() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let backup = RestoredStore(
            world.memory,
            generation: try #require(try await world.memory.session(id)).generation
        )
        world.provider.kill()
        _ = try? await world.manager(backup).tokens(for: id)
        #expect(try await world.manager().session(id).endReason == .lostRotation)
    }

    @Test("a failure before the refresh token is sent leaves the stored session unchanged")
    func preparation() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let generation = try await world.store.session(id)?.generation
        world.provider.refusePreparation(IdentityError(.retryLater, .discoveryFailed, "No metadata."))
        await #expect(throws: IdentityError.self) { _ = try await world.manager().tokens(for: id) }
        #expect(try await world.store.session(id)?.generation == generation)
        #expect(world.provider.requests == 0)
    }

    @Test("a process that lost the lock sends nothing, and the session is not in doubt")
    func lostLease() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let error = await #expect(throws: IdentityError.self) {
            _ = try await world.manager(LostLeaseStore(world.memory)).tokens(for: id)
        }
        #expect(error?.code == .refreshBusy)
        #expect(world.provider.requests == 0)
        #expect(try await !world.manager().session(id).isInDoubt)
    }

    @Test("a token that expired while its refresh failed is not returned")
    func expiredMeanwhile() async throws {
        let world = RefreshStage()
        let tokens = world.provider.mint(Buyer(issuer: "https://id.example", subject: "b"))
        let manager = try world.manager()
        let id = try await manager.establish(tokens, provider: "journaled").id
        world.clock.advance(by: .seconds(3595))
        world.provider.answer(.refused(Self.transport(.notSent)))
        world.provider.hold { world.clock.advance(by: .seconds(10)) }
        let error = await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
        #expect(error?.kind == .retryLater)
    }

    @Test(
        "if a caller requests a longer validity than any token has, tokens are refreshed once in 30 seconds, not at every call"
    )
    func fresh() async throws {
        let world = RefreshStage()
        world.clock.jump(by: 0.000_437)
        let tokens = world.provider.mint(Buyer(issuer: "https://id.example", subject: "b"))
        let manager = try world.manager()
        let id = try await manager.establish(tokens, provider: "journaled").id
        for _ in 0..<5 { _ = try await manager.tokens(for: id, validFor: .seconds(7200)) }
        #expect(world.provider.requests == 1)
        world.clock.advance(by: .seconds(31))
        _ = try await manager.tokens(for: id, validFor: .seconds(7200))
        #expect(world.provider.requests == 2)
    }

    @Test("a caller that read the session before a refresh was saved does not cause another refresh")
    func lateReader() async throws {
        let world = RefreshStage()
        let tokens = world.provider.mint(Buyer(issuer: "https://id.example", subject: "b"))
        let store = FaultyStore(world.memory)
        let manager = try world.manager(store)
        let id = try await manager.establish(tokens, provider: "journaled").id
        world.clock.advance(by: .seconds(10))
        // The third replacement saves the new tokens.
        store.script([
            nil, nil,
            .after {
                let late = Task { try await manager.tokens(for: id, validFor: .seconds(7200)) }
                late.cancel()
                _ = await late.result
            },
        ])
        for _ in 0..<3 { _ = try await manager.tokens(for: id, validFor: .seconds(7200)) }
        #expect(world.provider.requests == 1)
    }

    @Test("a repair skips sessions whose refresh runs in the same process")
    func underWay() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let manager = try world.manager()
        let stop = StoppingPoint()
        world.provider.hold { await stop.pass() }
        let refresh = Task { try await manager.tokens(for: id) }
        await stop.arrived()
        var expected = RepairReport()
        expected.busy = 1
        #expect(try await manager.repair() == expected)
        stop.release()
        _ = try await refresh.value
        #expect(world.provider.requests == 1)
    }

    @Test("a repair finishes the refreshes of a crashed process and reports them")
    func repair() async throws {
        let world = RefreshStage()
        world.provider.setGrace(30)
        let ids = [try await world.expiredSession("a"), try await world.expiredSession("b")]
        let fine = try await world.expiredSession("c")
        for id in ids { try await world.die(at: id) }
        let generation = try await world.store.session(fine)?.generation
        let manager = try world.manager()
        var expected = RepairReport()
        expected.repaired = 2
        #expect(try await manager.repair() == expected)
        for id in ids { #expect(try await manager.tokens(for: id).outcome == .stored) }
        // Sessions that are not in doubt are not changed.
        #expect(try await world.store.session(fine)?.generation == generation)
        #expect(try await manager.repair() == RepairReport())
        #expect(world.provider.reuses == 0)
    }

    @Test("a repair reports that a session in doubt cannot be read, and repairs the other sessions")
    func unreadable() async throws {
        let world = RefreshStage()
        world.provider.setGrace(30)
        try await world.die(at: try await world.expiredSession())
        var expected = RepairReport()
        (expected.repaired, expected.remaining) = (1, 1)
        #expect(try await world.manager(DamagedStore(world.memory)).repair() == expected)
        #expect(world.heard.kinds.contains(.storeFailed(.storeCorrupt)))
    }
}

/// A store that has a damaged record in addition to its readable sessions.
private final class DamagedStore: WrappingStore, PartialSessionListing {
    let inner: InMemoryStore

    init(_ inner: InMemoryStore) {
        self.inner = inner
    }

    func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        try await inner.sessions(matching: filter)
    }

    func readableSessions(matching filter: SessionFilter) async throws -> SessionListing {
        let damage = IdentityError(.configuration, .storeCorrupt, "Damaged.")
        return SessionListing(sessions: try await sessions(matching: filter), damage: damage)
    }
}

/// A store whose locks are lost immediately after they are granted.
private final class LostLeaseStore: WrappingStore {
    let inner: InMemoryStore

    init(_ inner: InMemoryStore) {
        self.inner = inner
    }

    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        try await body(HeldLock { .zero })
    }
}

/// A store whose sessions of one generation were restored from a backup.
private final class RestoredStore: WrappingStore {
    let inner: InMemoryStore
    private let generation: Int64

    init(_ inner: InMemoryStore, generation: Int64) {
        self.inner = inner
        self.generation = generation
    }

    func session(_ id: SessionID) async throws -> StoredSession? {
        var session = try await inner.session(id)
        if session?.generation == generation { session?.isRestored = true }
        return session
    }
}
