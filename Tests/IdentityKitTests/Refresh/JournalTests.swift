import FoundationEssentials
import IdentityKit
import IdentityTesting
import Testing

@Suite("Answers that are saved before they are validated")
struct JournalTests {
    @Test("an answer that cannot be validated yet waits in the store, and the old token is not sent again")
    func waits() async throws {
        let world = RefreshFixture()
        let id = try await world.expiredSession()
        world.provider.refuseJudgement(IdentityError(.retryLater, .providerUnavailable, "No keys."))
        let error = await #expect(throws: IdentityError.self) { _ = try await world.manager().tokens(for: id) }
        #expect(error?.kind == .retryLater)
        #expect(try await world.manager().session(id).isInDoubt)
        // Another process, later: only the judgement is made up for.
        world.clock.advance(by: .seconds(600))
        let got = try await world.manager().tokens(for: id)
        #expect(got.outcome == .refreshedLate)
        #expect(got.tokens.refreshToken?.reveal() == "refresh-2")
        #expect(world.provider.requests == 1)
        #expect(world.provider.reuses == 0)
        #expect(world.heard.kinds.contains(.refreshRepaired))
    }

    @Test(
        "an answer survives every failure of the keys that validate it",
        arguments: [
            IdentityError(.retryLater, .discoveryFailed, "No metadata.", providerAnswer: .init(status: 503)),
            IdentityError(.configuration, .discoveryFailed, "No metadata.", providerAnswer: .init(status: 404)),
        ]
    )
    func keysAreGone(_ error: IdentityError) async throws {
        let world = RefreshFixture()
        let id = try await world.expiredSession()
        world.provider.refuseJudgement(error, error, error)
        for _ in 0..<3 {
            // Each time another process, which has the answer from the store only.
            await #expect(throws: IdentityError.self) { _ = try await world.manager().tokens(for: id) }
        }
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.provider.requests == 1)
        #expect(world.provider.reuses == 0)
    }

    @Test("an answer that arrives after two newer refreshes is dropped, and newer tokens are not overwritten")
    func late() async throws {
        let world = RefreshFixture()
        world.provider.setGrace(300)
        let id = try await world.expiredSession()
        // While ours is at work, another process refreshes twice.
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

    @Test("invalid_grant does not end a session for which another process stored an answer")
    func foreignAnswer() async throws {
        let world = RefreshFixture()
        let id = try await world.expiredSession()
        let other = try world.manager(FaultyStore(world.memory))
        let provider = world.provider
        provider.hold {
            // While our request is under way another process is faster, and cannot validate its answer.
            provider.hold(nil)
            provider.refuseJudgement(IdentityError(.retryLater, .providerUnavailable, "No keys."))
            _ = try? await other.tokens(for: id)
        }
        let error = await #expect(throws: IdentityError.self) {
            _ = try await world.manager(FaultyStore(world.memory)).tokens(for: id)
        }
        #expect(error?.code == .renewalBusy)
        #expect(try await !other.session(id).needsLogin)
        #expect(try await other.tokens(for: id).tokens.accessToken.reveal() == "access-2")
    }

    @Test("a stored answer is validated by another process at once")
    func atOnce() async throws {
        let world = RefreshFixture()
        let id = try await world.expiredSession()
        world.provider.refuseJudgement(IdentityError(.retryLater, .providerUnavailable, "No keys."))
        _ = try? await world.manager(FaultyStore(world.memory)).tokens(for: id)
        let before = world.clock.elapsed
        #expect(try await world.manager(FaultyStore(world.memory)).tokens(for: id).outcome == .refreshedLate)
        #expect(world.clock.elapsed == before)
    }

    @Test("a refresh settles its session, also one from a backup")
    func settled() async throws {
        let world = RefreshFixture()
        let id = try await world.expiredSession()
        var restored = try #require(try await world.store.session(id))
        restored.isRestored = true
        restored.generation += 1
        #expect(try await world.store.replace(restored, expecting: restored.generation - 1))
        #expect(try await world.manager().tokens(for: id).outcome == .refreshedLate)
        let row = try #require(try await world.store.session(id))
        #expect(!row.isRestored)
        #expect(!row.isUnsettled)
    }

    @Test("a token's lifetime counts from the request, even if its answer is validated late")
    func life() async throws {
        let world = RefreshFixture()
        let id = try await world.expiredSession()
        let sent = world.clock.now
        world.provider.refuseJudgement(IdentityError(.retryLater, .providerUnavailable, "No keys."))
        _ = try? await world.manager().tokens(for: id)
        world.clock.advance(by: .seconds(600))
        #expect(try await world.manager().tokens(for: id).session.expiresAt == sent + 3600)
    }

    @Test(
        "an answer whose tokens fail a check is refused and kept, however often, and becomes good when the check does"
    )
    func refused() async throws {
        let world = RefreshFixture()
        let id = try await world.expiredSession()
        // What the other side sent stands in the error, as with a wrong issuer; that makes it no refusal by the provider.
        let wrong = IdentityError(
            .rejected,
            .idTokenIssuer,
            "Another issuer.",
            providerAnswer: .init(error: "https://other.example", status: 200)
        )
        world.provider.refuseJudgement(wrong, wrong, wrong)
        for _ in 0..<3 {
            let error = await #expect(throws: IdentityError.self) { _ = try await world.manager().tokens(for: id) }
            #expect(error?.code == .idTokenIssuer)
            #expect(error?.hint?.contains("keeps the provider's answer") == true)
            _ = try await world.manager().repair()
            world.clock.advance(by: .seconds(60))
            world.provider.refuseJudgement(wrong, wrong, wrong)
        }
        // Neither callers nor repairs send the spent token again while there may be a good one.
        #expect(world.provider.requests == 1)
        #expect(try await !world.manager().session(id).needsLogin)
        world.provider.refuseJudgement()
        #expect(try await world.manager().tokens(for: id).outcome == .refreshedLate)
        #expect(world.provider.requests == 1)
    }

    @Test("a stored answer that is refused is reported once for each error code in each process")
    func reportedOnce() async throws {
        let world = RefreshFixture()
        let id = try await world.expiredSession()
        let issuer = IdentityError(.rejected, .idTokenIssuer, "Another issuer.")
        let subject = IdentityError(.rejected, .idTokenSubject, "Somebody else.")
        func reports(_ code: IdentityError.Code) -> Int {
            world.heard.kinds.count { $0 == .refreshFailed(code) }
        }
        world.provider.refuseJudgement(issuer, issuer, issuer)
        let first = try world.manager()
        await #expect(throws: IdentityError.self) { _ = try await first.tokens(for: id) }
        for _ in 0..<2 { #expect(try await first.repair().remaining == 1) }
        #expect(reports(.idTokenIssuer) == 1)
        let second = try world.manager()
        world.provider.refuseJudgement(issuer, issuer, subject, subject)
        for _ in 0..<4 { #expect(try await second.repair().remaining == 1) }
        #expect(reports(.idTokenIssuer) == 2)
        #expect(reports(.idTokenSubject) == 1)
        #expect(world.provider.requests == 1)
    }

    @Test("an answer that is refused for a day is still not replaced by sending the old refresh token again")
    func neverGivenUp() async throws {
        let world = RefreshFixture()
        world.provider.setGrace(3600)
        let id = try await world.expiredSession()
        let wrong = IdentityError(.rejected, .idTokenSubject, "Somebody else.")
        for _ in 0..<3 {
            world.provider.refuseJudgement(wrong)
            let error = await #expect(throws: IdentityError.self) { _ = try await world.manager().tokens(for: id) }
            #expect(error?.code == .idTokenSubject)
            world.clock.advance(by: .seconds(43_200))
        }
        #expect(world.provider.requests == 1)
        world.provider.refuseJudgement()
        #expect(try await world.manager().tokens(for: id).tokens.refreshToken?.reveal() == "refresh-3")
        #expect(world.provider.requests == 2)
        #expect(world.provider.reuses == 0)
    }

    @Test("a stored answer that cannot be read is an error, and never counts as absent")
    func unreadable() async throws {
        let world = RefreshFixture()
        let id = try await world.expiredSession()
        world.provider.refuseJudgement(IdentityError(.retryLater, .providerUnavailable, "No keys."))
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

    @Test("a page with status 200 is not a token response, so the request is repeated at once")
    func page() async throws {
        let world = RefreshFixture()
        let id = try await world.expiredSession()
        world.provider.answer(.page)
        #expect(try await world.manager().tokens(for: id).outcome == .refreshedLate)
        #expect(world.provider.requests == 2)
    }

    @Test("if the store saves neither the answer nor the tokens, the spool keeps them beyond the process")
    func spooled() async throws {
        let world = RefreshFixture()
        let id = try await world.expiredSession()
        world.store.allow(1)
        let manager = try world.manager()
        let got = try await manager.tokens(for: id)
        #expect(got.outcome == .refreshedLate)
        #expect(world.store.spooled == [id])
        // The buyer goes on being served from memory while the store is down.
        #expect(try await manager.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.provider.requests == 1)
        // Also when it cannot even be read.
        world.store.breakReads(true)
        #expect(try await manager.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        await #expect(throws: IdentityError.self) { _ = try await world.manager().tokens(for: id) }
        world.store.breakReads(false)
        // The process has died; the store works again.
        world.store.allow(.max)
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.store.spooled.isEmpty)
        #expect(world.provider.requests == 1)
        #expect(try await world.manager().tokens(for: id).outcome == .stored)
    }

    @Test("the spool keeps an answer that could be neither saved nor validated beyond the process")
    func spooledAnswer() async throws {
        let world = RefreshFixture()
        let id = try await world.expiredSession()
        world.store.allow(1)
        world.provider.refuseJudgement(IdentityError(.retryLater, .providerUnavailable, "No keys."))
        _ = try? await world.manager().tokens(for: id)
        #expect(world.store.spooled == [id])
        world.store.allow(.max)
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-2")
        #expect(world.provider.requests == 1)
        #expect(world.store.spooled.isEmpty)
    }

    @Test("an answer that could be neither saved nor validated is saved by the next repair, before it is validated")
    func savedByRepair() async throws {
        let world = RefreshFixture()
        let id = try await world.expiredSession()
        let noKeys = IdentityError(.retryLater, .providerUnavailable, "No keys.")
        world.provider.refuseJudgement(noKeys, noKeys)
        // The claim is written, the answer is not.
        world.store.allow(1)
        let manager = try world.manager()
        await #expect(throws: IdentityError.self) { _ = try await manager.tokens(for: id) }
        world.store.allow(.max)
        _ = try await manager.repair()
        // Another machine has neither the memory nor the spool of the first one.
        let other = try world.manager(SpoolingStore(world.memory))
        #expect(try await other.tokens(for: id).tokens.refreshToken?.reveal() == "refresh-2")
        #expect(world.provider.requests == 1)
        #expect(world.provider.reuses == 0)
    }

    @Test("spooled tokens do not overwrite newer ones, and are removed with their session")
    func stale() async throws {
        let world = RefreshFixture()
        let id = try await world.expiredSession()
        world.provider.setGrace(600)
        world.store.allow(1)
        _ = try await world.manager().tokens(for: id)
        let kept = try #require(try await world.store.spooledSession(id))
        // A process without the second place was faster, inside the grace window; then the session went on.
        let other = try world.manager(world.memory)
        world.clock.advance(by: .seconds(61))
        _ = try await other.tokens(for: id)
        _ = try await other.refreshTokens(for: id)
        world.store.allow(.max)
        _ = try await world.manager().repair()
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-3")
        #expect(world.store.spooled.isEmpty)

        _ = try await other.logout(id)
        try await world.store.spool(kept)
        _ = try await world.manager().repair()
        #expect(world.store.spooled.isEmpty)
        #expect(world.provider.revoked.last == "refresh-2")
        #expect(try await world.store.session(id) == nil)
    }

    @Test("a claim reserves space for the answer")
    func reserve() async throws {
        let world = RefreshFixture()
        let id = try await world.expiredSession()
        let sizes = SizeRecorder(world.memory)
        _ = try await world.manager(sizes).tokens(for: id)
        let (claim, journal) = (sizes.sizes[0], sizes.sizes[1])
        #expect(sizes.sizes.count == 3)
        #expect(claim >= journal)
    }
}
