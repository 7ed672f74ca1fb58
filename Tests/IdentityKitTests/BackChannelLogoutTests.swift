import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization
import Testing

/// A cart that records ended sessions and can fail.
private final class Cart: SessionParticipant {
    private let state = Mutex<(ended: [SessionID], attachments: [[String: Secret]], isBroken: Bool)>(([], [], false))
    var ended: [SessionID] { state.withLock { $0.ended } }
    var attachments: [[String: Secret]] { state.withLock { $0.attachments } }

    func setBroken(_ isBroken: Bool) { state.withLock { $0.isBroken = isBroken } }
    func sessionRefreshed(_ session: Session) async throws {}
    func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {
        let isBroken = state.withLock { state in
            state.ended.append(session.id)
            state.attachments.append(attachments)
            return state.isBroken
        }
        if isBroken { throw IdentityError(.retryLater, .providerUnavailable, "The cart is down.") }
    }
}

@Suite("Back-channel logout")
struct BackChannelLogoutTests {
    static let form = "application/x-www-form-urlencoded"

    func send(
        _ token: String,
        to stage: LogoutStage,
        provider: String = "leaving"
    ) async -> BackChannelLogoutResult {
        let body = Array("logout_token=\(token)".utf8)
        return await stage.manager.backChannelLogout(provider: provider, body: body, contentType: Self.form)
    }

    func ids(_ stage: LogoutStage) async throws -> Set<SessionID> {
        Set(try await stage.manager.sessions().map(\.id))
    }

    private func header(_ name: String, _ result: BackChannelLogoutResult) -> String? {
        result.headers.first { $0.name == name }?.value
    }

    @Test("a logout token with a sid ends the session with that sid; one without a sid ends all sessions of its buyer")
    func affected() async throws {
        let stage = try LogoutStage()
        let first = try await stage.signIn(session: "s1")
        let second = try await stage.signIn(session: "s2")
        let third = try await stage.signIn(session: "s3")
        let otherBuyer = try await stage.signIn("buyer-2", session: "s9")
        let cart = Cart()
        stage.manager.add(cart)
        let bySession = await send(stage.provider.announce(subject: nil, session: "s1"), to: stage)
        #expect(bySession.status == 200)
        #expect(bySession.body.isEmpty)
        #expect(header("Cache-Control", bySession) == "no-store")
        #expect(bySession.error == nil)
        #expect(bySession.sessions.map(\.id) == [first])
        #expect(try await ids(stage) == [second, third, otherBuyer])
        let byBoth = await send(stage.provider.announce(session: "s2"), to: stage)
        #expect(byBoth.sessions.map(\.id) == [second])
        let byBuyer = await send(stage.provider.announce(), to: stage)
        #expect(byBuyer.sessions.map(\.id) == [third])
        #expect(try await ids(stage) == [otherBuyer])
        #expect(cart.ended == [first, second, third])
    }

    @Test("a logout token with neither sub nor sid is refused, also if an app's provider accepts it")
    func neither() async throws {
        let stage = try LogoutStage()
        let id = try await stage.signIn(session: "s1")
        let result = await send(stage.provider.announce(subject: nil), to: stage)
        #expect(result.status == 400 && result.error?.code == .logoutTokenInvalid)
        #expect(try await ids(stage) == [id])
    }

    @Test("a logout token with sub and sid also ends the buyer's sessions without a sid, but no other buyer's sessions")
    func nameless() async throws {
        let stage = try LogoutStage()
        let nameless = try await stage.signIn()
        let other = try await stage.signIn("buyer-2")
        let result = await send(stage.provider.announce(session: "s1"), to: stage)
        #expect(result.sessions.map(\.id) == [nameless])
        #expect(await send(stage.provider.announce(subject: nil, session: "s1"), to: stage).sessions.isEmpty)
        #expect(try await ids(stage) == [other])
    }

    @Test(
        "a logout token ends no session of another provider, tenant or issuer, or with a sid that differs only in its Unicode form"
    )
    func foreign() async throws {
        let stage = try LogoutStage()
        let here = try await stage.signIn(session: "K1")
        let there = try await stage.signIn(provider: "other", session: "K1")
        var stored = try #require(try await stage.store.session(try await stage.signIn(session: "K1")))
        _ = try await stage.store.remove(stored.id)
        stored.tenant = "another"
        try await stage.store.insert(stored)
        for (subject, session) in [("buyer-1", nil), (nil, "K1"), ("buyer-1", "K1")] as [(String?, String?)] {
            let token = stage.provider.announce(issuer: "https://other.example", subject: subject, session: session)
            let result = await send(token, to: stage)
            #expect(result.status == 200)
            #expect(result.sessions.isEmpty)
        }
        #expect(await send(stage.provider.announce(subject: nil, session: "\u{212A}1"), to: stage).sessions.isEmpty)
        #expect(await send(stage.provider.announce(session: "\u{212A}1"), to: stage).sessions.isEmpty)
        #expect(
            await send(stage.provider.announce(subject: nil, session: "K1"), to: stage).sessions.map(\.id) == [here]
        )
        #expect(try await ids(stage) == [there, stored.id])
    }

    @Test("a logout token without a matching session is accepted; its second use is refused and ends no session")
    func replay() async throws {
        let stage = try LogoutStage()
        let token = stage.provider.announce()
        #expect(await send(token, to: stage).status == 200)
        let session = try await stage.signIn()
        let again = await send(token, to: stage)
        #expect(again.status == 400)
        #expect(again.error?.code == .logoutTokenReplayed)
        #expect(again.error?.isAttackSuspected == true)
        #expect(header("Cache-Control", again) == "no-store")
        #expect(header("Content-Type", again) == "application/json")
        let answer = try JSONValue(parsing: again.body)
        #expect(answer["error"]?.string == "invalid_request")
        #expect(answer["error_description"]?.string == "The logout token was used before.")
        #expect(try await ids(stage) == [session])
    }

    @Test("each provider has its own set of used jti values")
    func names() async throws {
        let stage = try LogoutStage()
        #expect(await send(stage.provider.announce(jti: "1"), to: stage).status == 200)
        #expect(await send(stage.provider.announce(jti: "1"), to: stage).error?.code == .logoutTokenReplayed)
        #expect(await send(stage.other.announce(jti: "1"), to: stage, provider: "other").status == 200)
    }

    @Test("of many concurrent requests with one logout token, exactly one succeeds", .timeLimit(.minutes(1)))
    func race() async throws {
        let stage = try LogoutStage()
        _ = try await stage.signIn()
        let token = stage.provider.announce()
        stage.store.setMeeting(of: 16)
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<16 { group.addTask { await send(token, to: stage).status } }
            return await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(statuses == [200: 1, 400: 15])
        #expect(try await ids(stage).isEmpty)
    }

    @Test(
        "while the store fails, the provider gets status 503, and its next attempt ends the remaining sessions",
        arguments: [FailingStore.Operation.isUsed, .list, .remove, .markUsed]
    )
    func outage(_ operation: FailingStore.Operation) async throws {
        let stage = try LogoutStage()
        _ = try await stage.signIn()
        _ = try await stage.signIn()
        let cart = Cart()
        stage.manager.add(cart)
        let token = stage.provider.announce()
        stage.store.setBroken(operation)
        let failed = await send(token, to: stage)
        #expect(failed.status == 503)
        #expect(failed.error?.code == .storeBusy)
        #expect(try JSONValue(parsing: failed.body)["error"]?.string == "temporarily_unavailable")
        stage.store.setBroken()
        #expect(await send(token, to: stage).status == 200)
        #expect(try await ids(stage).isEmpty)
        #expect(cart.ended.count == 2)
        #expect(await send(token, to: stage).status == 400)
    }

    @Test(
        "if one session cannot be removed, the buyer's other sessions end, and the provider's next attempt ends that session"
    )
    func partial() async throws {
        let stage = try LogoutStage()
        let first = try await stage.signIn()
        let second = try await stage.signIn()
        let token = stage.provider.announce()
        stage.store.setStuck(first)
        let failed = await send(token, to: stage)
        #expect(failed.status == 503)
        #expect(failed.sessions.map(\.id) == [second])
        #expect(try await ids(stage) == [first])
        stage.store.setStuck(nil)
        #expect(await send(token, to: stage).sessions.map(\.id) == [first])
    }

    @Test(
        "if one session cannot be read, the request fails, the buyer's other sessions end, and the logout token can be used again"
    )
    func unreadable() async throws {
        let stage = try LogoutStage()
        let damaged = try await stage.signIn()
        let second = try await stage.signIn()
        let token = stage.provider.announce()
        stage.store.setUnreadable(damaged)
        let failed = await send(token, to: stage)
        #expect(failed.status == 500)
        #expect(failed.error?.code == .storeCorrupt)
        #expect(failed.sessions.map(\.id) == [second])
        let third = try await stage.signIn()
        let error = await #expect(throws: IdentityError.self) {
            _ = try await stage.manager.logoutAll(issuer: "https://id.example", subject: "buyer-1")
        }
        #expect(error?.code == .storeCorrupt)
        #expect(try await stage.store.session(third) == nil)
        stage.store.setUnreadable(nil)
        let finished = await send(token, to: stage)
        #expect(finished.status == 200)
        #expect(finished.sessions.map(\.id) == [damaged])
    }

    @Test(
        "a logout token ends a session that this version cannot decode, the cart gets its attachments, and the status is 200"
    )
    func otherVersion() async throws {
        let stage = try LogoutStage()
        let id = try await stage.signIn()
        #expect(try await stage.store.setAttachment("cart", to: Secret("c"), of: id, expecting: nil))
        var stored = try #require(try await stage.store.session(id))
        stored.payload = Secret("not what this version wrote")
        #expect(try await stage.store.replace(stored, expecting: stored.generation))
        let cart = Cart()
        stage.manager.add(cart)
        let result = await send(stage.provider.announce(), to: stage)
        #expect(result.status == 200)
        #expect(result.sessions.map(\.id) == [id])
        #expect(result.problems.map(\.code) == [.storeCorrupt])
        #expect(cart.attachments.map { $0["cart"]?.reveal() } == ["c"])
        #expect(try await stage.store.session(id) == nil)
    }

    @Test("a logout token counts as used if the store saved its mark and then reported an error")
    func failsAfterCommit() async throws {
        let stage = try LogoutStage()
        _ = try await stage.signIn()
        let token = stage.provider.announce()
        stage.store.setBroken(.afterMarkUsed)
        #expect(await send(token, to: stage).status == 200)
        #expect(await send(token, to: stage).status == 400)
    }

    @Test("a failing cart is reported to the app, and the provider gets status 200")
    func cartDown() async throws {
        let stage = try LogoutStage()
        _ = try await stage.signIn()
        let cart = Cart()
        cart.setBroken(true)
        stage.manager.add(cart)
        let result = await send(stage.provider.announce(), to: stage)
        #expect(result.status == 200)
        #expect(result.problems.map(\.code) == [.providerUnavailable])
        #expect(try await ids(stage).isEmpty)
    }

    @Test("a logout request is refused unless it is a form of limited size with exactly one valid logout token")
    func malformed() async throws {
        let stage = try LogoutStage()
        let session = try await stage.signIn()
        let token = stage.provider.announce()
        let requests: [(String, String?)] = [
            ("logout_token=\(token)", nil), ("logout_token=\(token)", "application/json"),
            ("logout_token=\(token)", "application/x-www-form-urlencoded2"), ("logout_token=\(token)", ""),
            ("logout_token=\(token)", "application /x-www-form-urlencoded"),
            ("", Self.form), ("logout_token=", Self.form), ("token=\(token)", Self.form),
            ("logout_token=\(token)&logout_token=\(token)", Self.form), ("logout_token=%\(token)", Self.form),
            ("logout_token=\(token)&pad=" + String(repeating: "a", count: 16_384), Self.form),
            ("logout_token=unknown", Self.form),
        ]
        for (body, type) in requests {
            let result = await stage.manager.backChannelLogout(
                provider: "leaving",
                body: Array(body.utf8),
                contentType: type
            )
            #expect(result.status == 400)
            #expect(result.sessions.isEmpty)
        }
        #expect(try await ids(stage) == [session])
        let good = await stage.manager.backChannelLogout(
            provider: "leaving",
            body: Array("a=b&logout%5Ftoken=\(token)&a=c".utf8),
            contentType: " Application/X-WWW-Form-URLEncoded ; charset=UTF-8"
        )
        #expect(good.status == 200)
    }

    @Test(
        "a logout request gets 503 without the keys, 500 if provider or store does not support it, 400 for an unknown provider"
    )
    func unavailable() async throws {
        let stage = try LogoutStage()
        let token = stage.provider.announce()
        stage.provider.setDown(true)
        #expect(await send(token, to: stage).status == 503)
        for (name, status) in [("unknown", 400), ("strict", 500)] {
            let result = await send(token, to: stage, provider: name)
            #expect(result.status == status)
            let error = try JSONValue(parsing: result.body)["error"]?.string
            #expect(error == (status == 400 ? "invalid_request" : "server_error"))
        }
        stage.provider.setDown(false)
        let forgetful = try stage.manager(over: StoreWithoutUsedTokens(inner: stage.store.inner))
        let body = Array("logout_token=\(token)".utf8)
        let result = await forgetful.backChannelLogout(provider: "leaving", body: body, contentType: Self.form)
        #expect(result.status == 500)
        #expect(result.error?.code == .configurationInvalid)
    }
}
