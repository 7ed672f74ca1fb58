import IdentityHTTP
import IdentityKit
import IdentityTesting
import Testing

/// Sessions from before a provider's issuer changed, while the configuration lists the old and the new issuer.
@Suite("Sessions of a provider whose issuer has changed")
struct MovedIssuerTests {
    private static let old = "https://old.example"
    private static let new = "https://id.example"

    private let stage: LogoutStage

    init() throws {
        // A list that an operator wrote may name an issuer twice.
        stage = try LogoutStage(equivalentIssuers: [Self.old, Self.new, Self.old])
    }

    private func ids() async throws -> Set<SessionID> { Set(try await stage.manager.sessions().map(\.id)) }

    private func complete(_ started: StartedLogin) async throws -> CompletedLogin {
        try await stage.manager.complete(
            try LoginCallback(form: Array("code=c&\(try #require(started.url.query))".utf8)),
            browserBinding: started.browserBinding,
            provider: "leaving"
        )
    }

    @Test(
        "a logout token of the new issuer ends the sessions of the old one, but none of a third issuer or another provider",
        arguments: [("buyer-1", nil), (nil, "s1"), ("buyer-1", "s1")] as [(String?, String?)]
    )
    func backChannelLogout(subject: String?, session: String?) async throws {
        let before = try await stage.signIn(issuer: Self.old, session: "s1")
        let after = try await stage.signIn(session: "s1")
        let others: Set<SessionID> = [
            try await stage.signIn("buyer-2", issuer: Self.old, session: "s2"),
            try await stage.signIn(issuer: "https://third.example", session: "s1"),
            try await stage.signIn(provider: "other", issuer: Self.old, session: "s1"),
        ]
        let token = stage.provider.announce(issuer: Self.new, subject: subject, session: session)
        let result = await stage.manager.backChannelLogout(
            provider: "leaving",
            body: Array("logout_token=\(token)".utf8),
            contentType: "application/x-www-form-urlencoded"
        )
        #expect(result.status == 200)
        #expect(Set(result.sessions.map(\.id)) == [before, after])
        #expect(try await ids() == others)
    }

    @Test("a session that cannot be read under the old issuer makes a back-channel logout fail")
    func unreadable() async throws {
        let before = try await stage.signIn(issuer: Self.old)
        stage.store.setUnreadable(before)
        let token = stage.provider.announce(issuer: Self.new)
        let result = await stage.manager.backChannelLogout(
            provider: "leaving",
            body: Array("logout_token=\(token)".utf8),
            contentType: "application/x-www-form-urlencoded"
        )
        #expect(result.error?.code == .storeCorrupt)
    }

    @Test("a step-up under the new issuer replaces a session of the old one")
    func stepUp() async throws {
        let id = try await stage.signIn(issuer: Self.old)
        let started = try await stage.manager.beginStepUp(of: id, requiring: StepUpRequirement(demandsLogin: false))
        let completed = try await complete(started)
        #expect(completed.replaced == id)
        #expect(completed.session.buyer.issuer == Self.new)
        #expect(try await ids() == [completed.session.id])
    }

    @Test("a failed step-up under the new issuer revokes no tokens of the buyer")
    func failedStepUp() async throws {
        let id = try await stage.signIn(issuer: Self.old)
        let started = try await stage.manager.beginStepUp(of: id, requiring: StepUpRequirement())
        let error = await #expect(throws: IdentityError.self) { try await complete(started) }
        #expect(error?.code == .idTokenAuthentication)
        #expect(stage.provider.revoked.isEmpty)
        #expect(try await ids() == [id])
    }

    @Test("the buyer's list of sign-ins has the sessions of both issuers, and a logout everywhere ends them")
    func lists() async throws {
        let before = try await stage.signIn(issuer: Self.old)
        stage.clock.advance(by: .seconds(1))
        let after = try await stage.signIn()
        let otherBuyer = try await stage.signIn("buyer-2", issuer: Self.old)
        for id in [before, after] {
            let signIns = try await stage.manager.signIns(ofBuyerOf: id)
            #expect(signIns.map(\.reference) == [after.reference, before.reference])
        }
        #expect(try await stage.manager.endOtherSignIns(ofBuyerOf: after).map(\.session.id) == [before])
        #expect(try await stage.manager.logoutAll(issuer: Self.old, subject: "buyer-1").map(\.session.id) == [after])
        #expect(try await ids() == [otherBuyer])
    }

    @Test("endOtherSignIns ends the sessions under the stored issuer, also if a refresh has returned the new issuer")
    func refreshed() async throws {
        let stage = try LogoutStage(equivalentIssuers: [Self.old, Self.new], othersEquivalentIssuers: [])
        let own = try await stage.signIn(issuer: Self.old)
        let elsewhere = try await stage.signIn(provider: "other", issuer: Self.old)
        stage.provider.setIssuerAtRefresh(Self.new)
        #expect(try await stage.manager.refreshTokens(for: own).session.buyer.issuer == Self.new)
        #expect(try await stage.manager.endOtherSignIns(ofBuyerOf: own).map(\.session.id) == [elsewhere])
    }

    @Test("the filter for a session's buyer matches the session itself, also if a refresh has returned the new issuer")
    func filterOfRefreshedSession() async throws {
        let id = try await stage.signIn(issuer: Self.old)
        stage.provider.setIssuerAtRefresh(Self.new)
        let session = try await stage.manager.refreshTokens(for: id).session
        #expect(SessionFilter(buyerOf: session).matches(try #require(try await stage.store.session(id))))
    }

    /// For example, the provider for a sandbox may also accept the issuers of production.
    @Test("the list of another provider does not join its sessions to the sign-ins of a buyer")
    func listOfOtherProvider() async throws {
        let (production, sandbox) = ("https://id.example", "https://sandbox.example")
        let stage = try LogoutStage(
            equivalentIssuers: [production, Self.old],
            othersEquivalentIssuers: [production, Self.old, sandbox]
        )
        let before = try await stage.signIn(issuer: Self.old)
        let own = try await stage.signIn()
        let others = [
            try await stage.signIn(provider: "other", issuer: sandbox),
            try await stage.signIn(provider: "other", issuer: Self.old),
        ]
        #expect(
            Set(try await stage.manager.signIns(ofBuyerOf: own).map(\.reference)) == [before.reference, own.reference]
        )
        #expect(try await !stage.manager.endSignIn(others[0].reference, ofBuyerOf: own))
        #expect(try await stage.manager.endOtherSignIns(ofBuyerOf: own).map(\.session.id) == [before])
        #expect(
            Set(try await stage.manager.signIns(ofBuyerOf: others[0]).map(\.reference)) == Set(others.map(\.reference))
        )
        #expect(Set(try await stage.manager.sessions().map(\.id)) == Set([own] + others))
    }
}
