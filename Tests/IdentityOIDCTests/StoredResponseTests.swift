import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import Synchronization
import Testing

@Suite("Stored responses and this machine's clock")
struct StoredResponseTests {
    private static let lifetimeOfIDToken = 300

    /// A session at a provider with a correct clock, and processes that share the store.
    private struct Stage {
        let world: FakeWorld
        let memory = InMemoryStore()
        let id: SessionID

        init(_ world: FakeWorld) async throws {
            self.world = world
            let clock = world.clock
            let start = clock.now
            world.fake.change(claims: { claims in
                let now = Int((start + clock.elapsed.timeInterval).timeIntervalSince1970)
                claims["iat"] = .integer(now)
                claims["exp"] = .integer(now + lifetimeOfIDToken)
            })
            let manager = try world.manager(memory)
            id = try await manager.establish(try await world.login(), provider: "fake").id
            clock.advance(by: .seconds(3601))
        }

        /// Another session manager over the same store, or over `store`.
        func process(_ store: (any SessionStore)? = nil) throws -> SessionManager {
            try world.manager(store ?? memory)
        }

        /// The refresh tokens that reached the provider.
        var sent: [String] {
            world.fake.requests(to: "/token").compactMap { $0.formFields().first { $0.0 == "refresh_token" }?.1 }
        }
    }

    @Test("a stored response is validated with the time of its receipt, even long after its ID token expired")
    func validatedAtReceipt() async throws {
        try await FakeWorld.run(clock: ManualClock(isAdvancedBySleeping: true)) { world in
            let stage = try await Stage(world)
            // The process crashes after it has stored the response.
            let store = SteppingStore(stage.memory)
            store.on(3) { throw CancellationError() }
            _ = try await stage.process(store).tokens(for: stage.id)
            world.clock.advance(by: .seconds(4000))
            let got = try await stage.process().tokens(for: stage.id)
            #expect(got.outcome == .refreshedLate)
            // The stored response was used although its access token had expired. Then its refresh token was sent.
            #expect(stage.sent == ["refresh-1", "refresh-2"])
        }
    }

    @Test("a response whose ID token was expired at its receipt stays refused, and no request is sent again")
    func expiredAtReceipt() async throws {
        try await FakeWorld.run(clock: ManualClock(isAdvancedBySleeping: true)) { world in
            let stage = try await Stage(world)
            world.fake.change(claims: { claims in
                claims["iat"] = .integer(1_790_000_000)
                claims["exp"] = .integer(1_790_000_300)
            })
            for _ in 0..<3 {
                let error = await #expect(throws: IdentityError.self) {
                    _ = try await stage.process().tokens(for: stage.id)
                }
                #expect(error?.code == .idTokenTime)
                #expect(error?.kind == .rejected)
                world.clock.advance(by: .seconds(86_400))
            }
            #expect(stage.sent == ["refresh-1"])
            #expect(try await !stage.process().session(stage.id).needsLogin)
        }
    }

    enum Step: String, CaseIterable, Sendable {
        case beforeClaim, afterClaim, request, beforeJournal, afterJournal, beforeSave, afterSave
    }

    @Test(
        "a clock that jumps by two hours during a refresh, and is corrected later, loses no session and causes no second request",
        arguments: Step.allCases,
        [-7200.0, 7200]
    )
    func jump(_ step: Step, _ seconds: Double) async throws {
        try await FakeWorld.run(clock: ManualClock(isAdvancedBySleeping: true)) { world in
            let stage = try await Stage(world)
            let store = SteppingStore(stage.memory)
            let jump = OneTime { world.clock.jump(by: seconds) }
            switch step {
            case .beforeClaim: store.on(1) { jump() }
            case .afterClaim: store.after(1) { jump() }
            case .request:
                world.fake.intercept { request in
                    if request.path == "/token" { jump() }
                    return nil
                }
            case .beforeJournal: store.on(2) { jump() }
            case .afterJournal: store.after(2) { jump() }
            case .beforeSave: store.on(3) { jump() }
            case .afterSave: store.after(3) { jump() }
            }
            try await Self.tolerate { _ = try await stage.process(store).tokens(for: stage.id) }
            #expect(jump.isDone)
            try await Self.waitAndSetRight(stage, seconds)
        }
    }

    @Test(
        "with a clock that is two hours wrong, the error mentions the clock, and the session works again after the correction",
        arguments: [-7200.0, 7200]
    )
    func steadilyWrong(_ seconds: Double) async throws {
        try await FakeWorld.run(clock: ManualClock(isAdvancedBySleeping: true)) { world in
            let stage = try await Stage(world)
            world.clock.jump(by: seconds)
            // The test requests the refresh explicitly: while the clock runs behind, tokens(for:) would take the old token for valid.
            let error = await #expect(throws: IdentityError.self) {
                _ = try await stage.process().refreshTokens(for: stage.id)
            }
            #expect(error?.code == .idTokenTime)
            #expect(error?.hint?.contains("This machine's clock") == true)
            try await Self.waitAndSetRight(stage, seconds)
        }
    }

    /// Corrects the wrong clock after eleven minutes: the session must be usable then, and no token may be sent twice.
    private static func waitAndSetRight(_ stage: Stage, _ seconds: Double) async throws {
        for _ in 0..<11 {
            stage.world.clock.advance(by: .seconds(60))
            try await tolerate { _ = try await stage.process().tokens(for: stage.id) }
            _ = try await stage.process().repair()
        }
        stage.world.clock.jump(by: -seconds)
        _ = try await stage.process().refreshTokens(for: stage.id)
        #expect(Set(stage.sent).count == stage.sent.count, "\(stage.sent)")
        #expect(try await !stage.process().session(stage.id).isInDoubt)
    }

    /// An error that names the clock is permitted while the clock is wrong.
    private static func tolerate(_ body: () async throws -> Void) async throws {
        do { try await body() } catch let error as IdentityError {
            guard error.code == .idTokenTime, error.hint?.contains("This machine's clock") == true else { throw error }
        }
    }
}

private final class OneTime: Sendable {
    private let done = Atomic(false)
    private let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    var isDone: Bool { done.load(ordering: .acquiring) }
    func callAsFunction() {
        if !done.exchange(true, ordering: .acquiringAndReleasing) { body() }
    }
}

/// A store that runs an action before or after its n-th replacement.
private final class SteppingStore: WrappingStore {
    typealias Action = @Sendable () throws -> Void

    private struct State {
        var count = 0
        var before: [Int: Action] = [:]
        var after: [Int: Action] = [:]
        var isDead = false
    }

    let inner: InMemoryStore
    private let state = Mutex(State())

    init(_ inner: InMemoryStore) { self.inner = inner }

    /// Runs an action before the n-th replacement; if the action throws, this replacement and all later ones fail, as after a crash.
    func on(_ number: Int, _ action: @escaping Action) { state.withLock { $0.before[number] = action } }
    func after(_ number: Int, _ action: @escaping Action) { state.withLock { $0.after[number] = action } }

    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        let (before, after, isDead) = state.withLock { state in
            state.count += 1
            return (state.before[state.count], state.after[state.count], state.isDead)
        }
        guard !isDead else { throw IdentityError(.retryLater, .storeFailed, "The process has died.") }
        do { try before?() } catch {
            state.withLock { $0.isDead = true }
            throw IdentityError(.retryLater, .storeFailed, "The process has died.")
        }
        let isReplaced = try await inner.replace(session, expecting: generation)
        try after?()
        return isReplaced
    }
}
