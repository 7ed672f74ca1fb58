import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

@Suite("Responses that belong to another login")
struct ForeignResponseTests {
    private static let subject = IdentityError(
        .rejected,
        .idTokenSubject,
        "Another buyer.",
        providerResponse: .init(error: "buyer-2", status: 200),
        isAttackSuspected: true
    )
    private static let issuer = IdentityError(.rejected, .idTokenIssuer, "Another issuer.", isAttackSuspected: true)
    private static let noKeys = IdentityError(.retryLater, .providerUnavailable, "No keys.")
    private static let signature = IdentityError(.rejected, .idTokenSignature, "A wrong signature.")

    /// A session whose access token is valid for another hour.
    private func freshSession(_ world: RefreshStage) async throws -> SessionID {
        let id = try await world.expiredSession()
        _ = try await world.manager().tokens(for: id)
        return id
    }

    private func refusal(_ call: () async throws -> SessionTokens) async -> IdentityError? {
        await #expect(throws: IdentityError.self) { _ = try await call() }
    }

    @Test("after a response of another login, no process returns a token until the response is accepted")
    func stands() async throws {
        let world = RefreshStage()
        let id = try await freshSession(world)
        let manager = try world.manager()
        world.provider.refuseValidation(Self.subject, Self.subject, Self.noKeys, Self.signature, Self.subject)
        let first = await refusal { try await manager.refreshTokens(for: id) }
        #expect(first?.kind == .rejected && first?.code == .idTokenSubject && first?.isAttackSuspected == true)
        #expect(first?.hint?.contains("sign in again") == true)
        #expect(first?.hint?.contains("keeps the provider's response") == true)
        for process in [manager, try world.manager(), try world.manager()] {
            // The response is validated again each time. If it cannot be validated, its mismatch code is kept.
            let error = await refusal { try await process.tokens(for: id) }
            #expect(error?.kind == .rejected && error?.code == .idTokenSubject && error?.isAttackSuspected == true)
        }
        #expect(await refusal { try await world.manager().refreshTokens(for: id) }?.isAttackSuspected == true)
        await #expect { _ = try await manager.signIns(ofBuyerOf: id) } throws: {
            ($0 as? IdentityError)?.code == .idTokenSubject
        }
        let session = try await world.manager().session(id)
        #expect(session.needsLogin && session.isAttackSuspected && session.endReason == nil)
        #expect(world.provider.validations == 6)
        // The cause is corrected, for example in the configuration, and the response is accepted.
        let got = try await world.manager().tokens(for: id)
        #expect(got.outcome == .refreshedEarly && got.tokens.refreshToken?.reveal() == "refresh-3")
        #expect(try await !world.manager().session(id).needsLogin)
        #expect(world.provider.requests == 2 && world.provider.reuses == 0)
    }

    @Test("if a response of another login cannot be validated again now, the error's cause says why")
    func cause() async throws {
        let world = RefreshStage()
        let id = try await freshSession(world)
        world.provider.refuseValidation(Self.subject, Self.noKeys)
        _ = await refusal { try await world.manager().refreshTokens(for: id) }
        let error = await refusal { try await world.manager().tokens(for: id) }
        #expect((error?.cause as? IdentityError)?.code == .providerUnavailable)
    }

    @Test("a response of another login is reported once as a suspected attack, and again only for another error code")
    func reported() async throws {
        let world = RefreshStage()
        let id = try await freshSession(world)
        let manager = try world.manager()
        world.provider.refuseValidation(
            Self.subject,
            Self.subject,
            Self.subject,
            Self.noKeys,
            Self.issuer,
            Self.issuer,
            Self.noKeys
        )
        _ = await refusal { try await manager.refreshTokens(for: id) }
        for _ in 0..<3 { #expect(try await manager.repair().remaining == 1) }
        #expect(world.heard.attacks == [.refreshFailed(.idTokenSubject)])
        for process in [try world.manager(), try world.manager(), manager] {
            #expect(await refusal { try await process.tokens(for: id) }?.code == .idTokenIssuer)
        }
        #expect(world.heard.attacks == [.refreshFailed(.idTokenSubject), .refreshFailed(.idTokenIssuer)])
        let failures = world.heard.kinds.count { if case .refreshFailed = $0 { true } else { false } }
        #expect(failures == 2)
    }

    @Test(
        "if the error code of a response of another login cannot be saved, it is kept in the spool and saved later",
        arguments: [0, 457]
    )
    func unsaved(microseconds: Int) async throws {
        let world = RefreshStage()
        let id = try await freshSession(world)
        // A store keeps whole milliseconds.
        world.clock.advance(by: .microseconds(microseconds))
        let manager = try world.manager()
        world.provider.refuseValidation(Self.subject, Self.noKeys, Self.noKeys, Self.subject, Self.noKeys)
        // The claim and the response are written, the mismatch code is not.
        world.store.allow(2)
        #expect(await refusal { try await manager.refreshTokens(for: id) }?.isAttackSuspected == true)
        #expect(await refusal { try await manager.tokens(for: id) }?.isAttackSuspected == true)
        #expect(await refusal { try await world.manager().tokens(for: id) }?.isAttackSuspected == true)
        world.store.allow(.max)
        #expect(await refusal { try await manager.tokens(for: id) }?.isAttackSuspected == true)
        #expect(try await world.manager(world.memory).session(id).isAttackSuspected)
        #expect(world.store.spooled.isEmpty)
        #expect(await refusal { try await world.manager(world.memory).tokens(for: id) }?.isAttackSuspected == true)
        #expect(world.heard.attacks.count == 1)
        #expect(world.provider.requests == 2)
    }

    @Test("a response of another login that cannot be saved is kept in the spool, and the old token is not returned")
    func unsavedResponse() async throws {
        let world = RefreshStage()
        let id = try await freshSession(world)
        let manager = try world.manager()
        world.provider.refuseValidation(Self.subject, Self.noKeys, Self.noKeys)
        world.store.allow(1)
        #expect(await refusal { try await manager.refreshTokens(for: id) }?.isAttackSuspected == true)
        #expect(await refusal { try await manager.tokens(for: id) }?.isAttackSuspected == true)
        world.store.allow(.max)
        #expect(try await world.manager().repair().remaining == 1)
        #expect(try await world.manager(world.memory).session(id).isAttackSuspected)
        #expect(world.provider.requests == 2 && world.provider.reuses == 0)
    }

    @Test(
        "a response of another login in the store replaces no tokens that another process received and could not save",
        arguments: [false, true]
    )
    func unsavedTokens(isInMemory: Bool) async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.provider.setGrace(600, rotatesAgain: true)
        world.store.allow(1)
        let manager = try world.manager()
        #expect(try await manager.tokens(for: id).tokens.accessToken.reveal() == "access-2")
        // Another process takes over, and the response to it belongs to another login.
        world.clock.advance(by: .seconds(61))
        world.provider.refuseValidation(Self.subject)
        let other = try world.manager(world.memory)
        #expect(await refusal { try await other.tokens(for: id) }?.isAttackSuspected == true)
        let stored = try SessionState(try #require(try await world.memory.session(id)))
        #expect(stored.loginMismatch == .idTokenSubject && stored.tokens?.refreshToken?.reveal() == "refresh-1")
        world.store.allow(.max)
        _ = try await (isInMemory ? manager : world.manager()).repair()
        #expect(world.store.spooled.isEmpty)
        let got = try await other.tokens(for: id)
        #expect(got.tokens.refreshToken?.reveal() == "refresh-2" && !got.session.isAttackSuspected)
        #expect(world.provider.requests == 2 && world.provider.reuses == 0)
    }

    @Test("a stored response of another login counts also for a process with a response that is not validated yet")
    func unvalidatedResponse() async throws {
        let world = RefreshStage()
        let id = try await world.expiredSession()
        world.provider.setGrace(600, rotatesAgain: true)
        world.store.allow(1)
        let manager = try world.manager()
        world.provider.refuseValidation(Self.noKeys)
        _ = await refusal { try await manager.tokens(for: id) }
        // Another process takes over, and the response to it belongs to another login.
        world.clock.advance(by: .seconds(61))
        world.provider.refuseValidation(Self.subject)
        _ = await refusal { try await world.manager(world.memory).tokens(for: id) }
        let unlisted = await #expect(throws: IdentityError.self) { try await manager.signIns(ofBuyerOf: id) }
        #expect(unlisted?.code == .idTokenSubject)
    }

    @Test("a spooled response is spooled again with its error code when it is found to belong to another login")
    func spooledMismatch() async throws {
        let world = RefreshStage()
        let id = try await freshSession(world)
        let manager = try world.manager()
        world.provider.refuseValidation(Self.noKeys, Self.subject, Self.noKeys)
        // Only the claim is written.
        world.store.allow(1)
        _ = await refusal { try await manager.refreshTokens(for: id) }
        #expect(world.store.spooled == [id])
        #expect(await refusal { try await manager.tokens(for: id) }?.isAttackSuspected == true)
        // The process has crashed, and the provider has no keys now.
        world.store.allow(.max)
        #expect(try await world.manager().repair().remaining == 1)
        #expect(try await world.manager(world.memory).session(id).isAttackSuspected)
        #expect(world.heard.kinds.count { $0 == .tokensSpooled } == 1)
    }

    @Test("after a response of another login, a logout revokes neither the old refresh token nor the new tokens")
    func logout() async throws {
        let world = RefreshStage()
        let id = try await freshSession(world)
        world.provider.refuseValidation(Self.subject, Self.noKeys)
        _ = await refusal { try await world.manager().refreshTokens(for: id) }
        _ = try await world.manager().logout(id)
        #expect(world.provider.revoked == [""])
        #expect(try await world.store.session(id) == nil)
    }

    @Test(
        "after a response of another login, a step-up and a list of sign-ins are refused, even if the store failed"
    )
    func stepUp() async throws {
        let world = RefreshStage()
        let id = try await freshSession(world)
        let manager = try world.manager()
        let started = try await manager.beginStepUp(of: id)
        world.provider.refuseValidation(Self.subject, Self.subject)
        // The claim and the response are written, the mismatch code is not.
        world.store.allow(2)
        _ = await refusal { try await manager.refreshTokens(for: id) }
        let unsaved = await #expect(throws: IdentityError.self) { try await manager.beginStepUp(of: id) }
        let unlisted = await #expect(throws: IdentityError.self) { try await manager.signIns(ofBuyerOf: id) }
        world.store.allow(.max)
        _ = await refusal { try await manager.tokens(for: id) }
        let saved = await #expect(throws: IdentityError.self) { try await world.manager().beginStepUp(of: id) }
        let completed = await #expect(throws: IdentityError.self) {
            let callback = try LoginCallback(url: "https://app.example/cb?code=c&state=state-1")
            return try await world.manager().complete(callback, browserBinding: started.browserBinding)
        }
        for error in [unsaved, unlisted, saved, completed] {
            #expect(error?.kind == .rejected && error?.code == .idTokenSubject && error?.isAttackSuspected == true)
        }
        #expect(world.provider.exchanges == 0)
        #expect(try await manager.sessions().map(\.id) == [id])
        // The response is accepted now, for example because the configuration was corrected.
        _ = try await manager.tokens(for: id)
        _ = try await manager.beginStepUp(of: id)
    }

    @Test(
        "a response with only a wrong signature or time is no suspected attack: the old token is returned with the reason"
    )
    func noAttack() async throws {
        let world = RefreshStage()
        let id = try await freshSession(world)
        world.provider.refuseValidation(Self.signature, Self.signature, Self.signature)
        let error = await refusal { try await world.manager().refreshTokens(for: id) }
        #expect(error?.code == .idTokenSignature && error?.isAttackSuspected == false)
        for _ in 0..<2 {
            let got = try await world.manager().tokens(for: id)
            #expect(got.outcome == .stillValid && got.reason?.code == .idTokenSignature)
            #expect(got.tokens.accessToken.reveal() == "access-2" && !got.session.needsLogin)
        }
        #expect(world.heard.attacks.isEmpty)
        #expect(try await world.manager().tokens(for: id).tokens.accessToken.reveal() == "access-3")
        #expect(world.provider.requests == 2)
    }

    @Test(
        "while another process holds the lock, a caller with a valid token waits two seconds at most for the validation of the stored response"
    )
    func busy() async throws {
        let world = RefreshStage()
        let id = try await freshSession(world)
        world.provider.refuseValidation(Self.noKeys)
        _ = await refusal { try await world.manager().refreshTokens(for: id) }
        let locked = LockedStore(world.memory)
        let got = try await world.manager(locked).tokens(for: id)
        #expect(got.outcome == .stillValid && got.reason?.code == .refreshBusy)
        #expect(locked.limits.allSatisfy { $0 <= .seconds(2) } && !locked.limits.isEmpty)
    }

    @Test("a response of another login is still reported while another process holds the session's lock")
    func locked() async throws {
        let world = RefreshStage()
        let id = try await freshSession(world)
        world.provider.refuseValidation(Self.subject)
        _ = await refusal { try await world.manager().refreshTokens(for: id) }
        let error = await refusal { try await world.manager(LockedStore(world.memory)).tokens(for: id) }
        #expect(error?.code == .idTokenSubject && error?.isAttackSuspected == true)
        #expect((error?.cause as? IdentityError)?.code == .refreshBusy)
    }
}

/// A store whose locks another process holds.
private final class LockedStore: WrappingStore {
    let inner: InMemoryStore
    private let asked = Mutex<[Duration]>([])
    /// The time limits with which callers waited for the lock.
    var limits: [Duration] { asked.withLock(\.self) }

    init(_ inner: InMemoryStore) { self.inner = inner }

    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        asked.withLock { $0.append(limit) }
        throw IdentityError(.retryLater, .refreshBusy, "Held.")
    }
}
