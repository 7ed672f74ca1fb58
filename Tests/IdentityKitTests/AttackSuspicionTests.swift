import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

@Suite("Suspected attacks")
struct AttackSuspicionTests {
    /// What is wrong with a callback.
    enum Case: String, CaseIterable, Sendable {
        case withoutState, unknownState, usedTwice, otherBrowser, withoutCookie, otherRedirectURI
        case late, denied

        var isAttack: Bool { self != .late && self != .denied }
    }

    @Test(
        "a callback of another login, browser or provider, or a used one, is reported as a suspected attack",
        arguments: Case.allCases,
        [false, true]
    )
    func login(_ wrong: Case, isPosted: Bool) async throws {
        // `keepPosted` only stores an error response. `complete` reports it when the browser repeats the request with GET.
        guard !(isPosted && wrong == .denied) else { return }
        let clock = ManualClock()
        let heard = EventSink()
        let manager = try SessionManager(
            StrictProvider(clock: clock),
            StrictProvider(clock: clock, name: "other"),
            clock: clock,
            observers: [heard]
        )
        let started = try await manager.begin("strict")
        let state = try #require(started.url.query)
        var (fields, cookie, name) = ("code=c&\(state)", Optional(started.browserBinding), "strict")
        switch wrong {
        case .withoutState: fields = "code=c"
        case .unknownState: fields = "code=c&state=never-issued"
        case .usedTwice:
            let callback = try LoginCallback(form: Array(fields.utf8))
            _ = try await manager.complete(callback, browserBinding: cookie, provider: name)
        case .otherBrowser: cookie = try await manager.begin("strict").browserBinding
        case .withoutCookie: cookie = nil
        case .otherRedirectURI: name = "other"
        case .late: clock.advance(by: .seconds(601))
        case .denied: fields = "error=access_denied&\(state)"
        }
        let error = await #expect(throws: IdentityError.self) {
            let callback = try LoginCallback(form: Array(fields.utf8))
            if isPosted {
                try await manager.keepPosted(callback, browserBinding: cookie, provider: name)
                // `keepPosted` ignores a state that no login waits for. `complete` reports it when the browser repeats the request.
                #expect(wrong == .unknownState || wrong == .usedTwice)
                #expect(heard.attacks.isEmpty)
                let fields = "state=\(try callback.value(of: "state")?.reveal() ?? "")"
                let repeated = try LoginCallback(form: Array(fields.utf8))
                _ = try await manager.complete(repeated, browserBinding: cookie, provider: name)
            } else {
                _ = try await manager.complete(callback, browserBinding: cookie, provider: name)
            }
        }
        #expect(error?.isAttackSuspected == wrong.isAttack)
        #expect(error?.kind == .rejected)
        #expect(error?.description.contains("attack") == wrong.isAttack)
        let attacks = error.map { wrong.isAttack ? [IdentityEvent.Kind.loginFailed($0.code)] : [] }
        #expect(heard.attacks == attacks)
    }

    @Test("an error stays marked as a suspected attack when its kind is changed or its texts are redacted")
    func kept() {
        let error = IdentityError(.rejected, .stateInvalid, "Wrong.", providerResponse: .init(error: "x"))
        #expect(!error.isAttackSuspected && !error.recast(as: .retryLater).isAttackSuspected)
        let suspicious = error.suspectingAttack
        #expect(suspicious.isAttackSuspected && suspicious.correlationID == error.correlationID)
        #expect(suspicious.recast(as: .retryLater).isAttackSuspected)
        #expect(suspicious.hiding(RequestSecrets(secrets: [Secret("x")])).isAttackSuspected)
    }

    @Test("an error that a pause between fetches repeats stays marked as a suspected attack")
    func repeated() async throws {
        final class Document: Sendable {}
        let cache = FetchCache<Document>(clock: ManualClock(), usingOldValueAfterRefusal: .zero)
        for _ in 0..<2 {
            let error = await #expect(throws: IdentityError.self) {
                _ = try await cache.value {
                    throw IdentityError(.rejected, .discoveryFailed, "Wrong.").suspectingAttack
                }
            }
            #expect(error?.isAttackSuspected == true)
        }
    }

    @Test("a callback with only a state needs a stored posted callback, and another one is refused when there is one")
    func parametersOfCallback() async throws {
        let clock = ManualClock()
        let manager = try SessionManager(StrictProvider(clock: clock), clock: clock)
        let started = try await manager.begin("strict")
        let cookie = started.browserBinding
        let state = try #require(started.url.query)
        let bare = try LoginCallback(form: Array(state.utf8))
        let full = try LoginCallback(form: Array("code=c&\(state)".utf8))
        let early = await failure { try await manager.complete(bare, browserBinding: cookie, provider: "strict") }
        try await manager.keepPosted(full, browserBinding: cookie, provider: "strict")
        let second = await failure { try await manager.complete(full, browserBinding: cookie, provider: "strict") }
        for (error, text) in [(early, "no posted callback is stored"), (second, "a posted callback is already stored")]
        {
            #expect(error?.code == .stateUnknown && error?.isAttackSuspected == true)
            #expect(error?.message.contains(text) == true)
        }
        _ = try await manager.complete(bare, browserBinding: cookie, provider: "strict")
    }

    @Test("counters count suspected attacks apart from other failures")
    func counters() async throws {
        let clock = ManualClock()
        let counters = IdentityCounters()
        let manager = try SessionManager(StrictProvider(clock: clock), clock: clock, observers: [counters])
        let callback = try LoginCallback(form: Array("code=c&state=forged".utf8))
        _ = try? await manager.complete(callback, browserBinding: nil, provider: "strict")
        let key = IdentityCounters.Key(
            name: "login_failed",
            detail: "state_unknown",
            provider: "strict",
            isAttackSuspected: true
        )
        #expect(counters.snapshot[key]?.count == 1)
    }
}
