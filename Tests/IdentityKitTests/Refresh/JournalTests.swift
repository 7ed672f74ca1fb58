import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

@Suite("Responses that are saved before they are validated")
struct JournalTests {
    @Test("a response that cannot be validated yet stays in the store, and the old token is not sent again")
    func waits() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.provider.refuseValidation(IdentityError(.retryLater, .providerUnavailable, "No keys."))
        let error = await #expect(throws: IdentityError.self) { _ = try await world.manager().tokens(for: id) }
        #expect(error?.kind == .retryLater)
        #expect(try await world.manager().session(id).isInDoubt)
        // Later, another process performs only the validation.
        world.clock.advance(by: .seconds(600))
        let got = try await world.manager().tokens(for: id)
        #expect(got.outcome == .refreshedLate)
        #expect(got.tokens.refreshToken?.reveal() == "refresh-2")
        #expect(world.provider.requests == 1)
        #expect(world.provider.reuses == 0)
        #expect(world.heard.kinds.contains(.refreshRepaired))
    }

    @Test(
        "a stored response is kept while the provider's metadata cannot be fetched",
        arguments: [
            IdentityError(.retryLater, .discoveryFailed, "No metadata.", providerResponse: .init(status: 503)),
            IdentityError(.configuration, .discoveryFailed, "No metadata.", providerResponse: .init(status: 404)),
        ]
    )
    func keysAreGone(_ error: IdentityError) async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.provider.refuseValidation(error, error, error)
        for _ in 0..<3 {
            // Each attempt is made by another process, which has the response from the store only.
            await #expect(throws: IdentityError.self) { _ = try await world.manager().tokens(for: id) }
        }
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.provider.requests == 1)
        #expect(world.provider.reuses == 0)
    }

    @Test("the upkeep validates a response that is not accepted with growing pauses; its acceptance ends them")
    func pauses() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let store = TwiceSweptStore(inner: world.memory, clock: world.clock)
        let manager = try world.manager(store)
        world.provider.refuseEveryValidation(IdentityError(.rejected, .tokenResponseInvalid, "No token type."))
        await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
        let start = world.clock.elapsed
        await Task { await manager.maintain(sweepingEvery: .seconds(1200)) }.value
        // A wrong clock of a machine that has just started is corrected before the first sweep.
        #expect(try #require(store.firstSweep) - start >= .seconds(600))
        // There is a repair every five seconds; the longest pause is thirty seconds.
        let repairs = Int((world.clock.elapsed - start) / .seconds(5))
        #expect((repairs / 10...repairs / 4).contains(world.provider.validations))
        // Neither a call nor a repair that the app starts waits for a pause.
        let before = world.provider.validations
        _ = try await manager.repair()
        await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
        #expect(world.provider.validations == before + 2)
        // The tokens have expired since, and are refreshed at once.
        world.clock.advance(by: .seconds(3601))
        _ = try await manager.repair()
        world.provider.refuseEveryValidation(nil)
        #expect(try await manager.tokens(for: id).tokens.accessToken.reveal() == "access-3")
    }

    @Test("a response that arrives after two newer refreshes is dropped, and newer tokens are not overwritten")
    func late() async throws {
        let world = RefreshStage()
        world.provider.setGrace(300)
        let id = try await world.expiredSession()
        // During this refresh, another process refreshes twice.
        let slow = FaultyStore(world.memory)
        let other = try world.manager(FaultyStore(world.memory))
        slow.script([
            nil,
            .after {
                _ = try await other.tokens(for: id)
                world.clock.advance(by: .seconds(3601))
                _ = try await other.tokens(for: id)
            },
        ])
        let got = try await world.manager(slow).tokens(for: id)
        #expect(got.tokens.accessToken.reveal() == "access-3")
        #expect(got.outcome == .waited)
        #expect(try await other.tokens(for: id).tokens.refreshToken?.reveal() == "refresh-3")
        #expect(world.provider.reuses == 0)
    }

    @Test("invalid_grant does not end a session for which another process stored a response")
    func foreignResponse() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let other = try world.manager(FaultyStore(world.memory))
        let provider = world.provider
        provider.hold {
            // During our request another process stores a response that it cannot validate.
            provider.hold(nil)
            provider.refuseValidation(IdentityError(.retryLater, .providerUnavailable, "No keys."))
            _ = try? await other.tokens(for: id)
        }
        let error = await #expect(throws: IdentityError.self) {
            _ = try await world.manager(FaultyStore(world.memory)).tokens(for: id)
        }
        #expect(error?.code == .refreshBusy)
        #expect(try await !other.session(id).needsLogin)
        #expect(try await other.tokens(for: id).tokens.accessToken.reveal() == "access-2")
    }

    @Test("another process validates a stored response at once")
    func atOnce() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.provider.refuseValidation(IdentityError(.retryLater, .providerUnavailable, "No keys."))
        _ = try? await world.manager(FaultyStore(world.memory)).tokens(for: id)
        let before = world.clock.elapsed
        #expect(try await world.manager(FaultyStore(world.memory)).tokens(for: id).outcome == .refreshedLate)
        #expect(world.clock.elapsed == before)
    }

    @Test("a refresh clears the marks of a session from a backup and of a session in doubt")
    func settled() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        var restored = try #require(try await world.store.session(id))
        restored.isRestored = true
        restored.generation += 1
        #expect(try await world.store.replace(restored, expecting: restored.generation - 1))
        #expect(try await world.manager().tokens(for: id).outcome == .refreshedLate)
        let row = try #require(try await world.store.session(id))
        #expect(!row.isRestored)
        #expect(!row.isInDoubt)
    }

    @Test("a token's lifetime counts from the request, even if its response is validated late")
    func life() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let sent = world.clock.now
        world.provider.refuseValidation(IdentityError(.retryLater, .providerUnavailable, "No keys."))
        _ = try? await world.manager().tokens(for: id)
        world.clock.advance(by: .seconds(600))
        #expect(try await world.manager().tokens(for: id).session.expiresAt == sent + 3600)
    }

    @Test(
        "a response whose tokens fail a check is rejected and kept at every attempt, and is used when the check succeeds"
    )
    func refused() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        // The error contains the provider's text, as with a wrong issuer, but it is not a refusal by the provider.
        let wrong = IdentityError(
            .rejected,
            .idTokenIssuer,
            "Another issuer.",
            providerResponse: .init(error: "https://other.example", status: 200)
        )
        world.provider.refuseValidation(wrong, wrong, wrong)
        for _ in 0..<3 {
            let error = await #expect(throws: IdentityError.self) { _ = try await world.manager().tokens(for: id) }
            #expect(error?.code == .idTokenIssuer)
            #expect(error?.hint?.contains("keeps the provider's response") == true)
            _ = try await world.manager().repair()
            world.clock.advance(by: .seconds(60))
            world.provider.refuseValidation(wrong, wrong, wrong)
        }
        // Neither callers nor repairs send the used token again while the response may contain a valid one.
        #expect(world.provider.requests == 1)
        #expect(try await !world.manager().session(id).needsLogin)
        world.provider.refuseValidation()
        #expect(try await world.manager().tokens(for: id).outcome == .refreshedLate)
        #expect(world.provider.requests == 1)
    }

    @Test("a stored response that is rejected is reported once for each error code in each process")
    func reportedOnce() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let issuer = IdentityError(.rejected, .idTokenIssuer, "Another issuer.")
        let subject = IdentityError(.rejected, .idTokenSubject, "Somebody else.")
        func reports(_ code: IdentityError.Code) -> Int {
            world.heard.kinds.count { $0 == .refreshFailed(code) }
        }
        world.provider.refuseValidation(issuer, issuer, issuer)
        let first = try world.manager()
        await #expect(throws: IdentityError.self) { _ = try await first.tokens(for: id) }
        for _ in 0..<2 { #expect(try await first.repair().remaining == 1) }
        #expect(reports(.idTokenIssuer) == 1)
        let second = try world.manager()
        world.provider.refuseValidation(issuer, issuer, subject, subject)
        for _ in 0..<4 { #expect(try await second.repair().remaining == 1) }
        #expect(reports(.idTokenIssuer) == 2)
        #expect(reports(.idTokenSubject) == 1)
        #expect(world.provider.requests == 1)
    }

    @Test("a response that is rejected for a day is still not replaced by sending the old refresh token again")
    func neverGivenUp() async throws {
        let world = RefreshStage()
        world.provider.setGrace(3600)
        let id = try await world.expiredSession()
        let wrong = IdentityError(.rejected, .idTokenSubject, "Somebody else.")
        for _ in 0..<3 {
            world.provider.refuseValidation(wrong)
            let error = await #expect(throws: IdentityError.self) { _ = try await world.manager().tokens(for: id) }
            #expect(error?.code == .idTokenSubject)
            world.clock.advance(by: .seconds(43_200))
        }
        #expect(world.provider.requests == 1)
        world.provider.refuseValidation()
        #expect(try await world.manager().tokens(for: id).tokens.refreshToken?.reveal() == "refresh-3")
        #expect(world.provider.requests == 2)
        #expect(world.provider.reuses == 0)
    }

    @Test("a stored response that cannot be read is an error, and never counts as missing")
    func unreadable() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.provider.refuseValidation(IdentityError(.retryLater, .providerUnavailable, "No keys."))
        _ = try? await world.manager().tokens(for: id)
        var row = try #require(try await world.store.session(id))
        let text = String(decoding: row.payload.revealBytes(), as: UTF8.self)
        row.payload = Secret(text.replacing("received_at", with: "got_at"))
        row.generation += 1
        #expect(try await world.store.replace(row, expecting: row.generation - 1))
        let error = await #expect(throws: IdentityError.self) { _ = try await world.manager().tokens(for: id) }
        #expect(error?.code == .storeCorrupt)
        #expect(world.provider.requests == 1)
    }

    @Test("an HTML page with status 200 is not a token response, so the request is repeated at once")
    func page() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.provider.answer(.page)
        #expect(try await world.manager().tokens(for: id).outcome == .refreshedLate)
        #expect(world.provider.requests == 2)
    }

    @Test("the record that is saved before a refresh token is sent reserves space for the provider's response")
    func reserve() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        let sizes = SizeRecorder(world.memory)
        _ = try await world.manager(sizes).tokens(for: id)
        let (claim, journal) = (sizes.sizes[0], sizes.sizes[1])
        #expect(sizes.sizes.count == 3)
        #expect(claim >= journal)
    }

    @Test("a session whose record is longer than a megabyte can be saved, read and refreshed")
    func longRecord() async throws {
        let world = RefreshStage()
        var tokens = world.provider.mint(Buyer(issuer: "https://id.example", subject: "buyer-1"))
        tokens.idToken = Secret(String(repeating: "a", count: 1 << 20))
        let id = try await world.manager().establish(tokens, provider: "journaled").id
        #expect(try await world.manager().tokens(for: id).tokens.idToken?.count == 1 << 20)
        #expect(try await world.manager().refreshTokens(for: id).tokens.accessToken.reveal() == "access-2")
    }
}

/// A store that cancels the task of its second sweep, which ends the upkeep.
private final class TwiceSweptStore: WrappingStore, ExpirySweeping {
    let inner: InMemoryStore
    private let clock: ManualClock
    private let sweeps = Mutex<[Duration]>([])

    init(inner: InMemoryStore, clock: ManualClock) {
        self.inner = inner
        self.clock = clock
    }

    /// The time of the first sweep.
    var firstSweep: Duration? { sweeps.withLock(\.first) }

    func sweep(expiredBefore date: Date) async throws -> Int {
        let count = sweeps.withLock { sweeps in
            sweeps.append(clock.elapsed)
            return sweeps.count
        }
        if count == 2 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
        return 0
    }
}
