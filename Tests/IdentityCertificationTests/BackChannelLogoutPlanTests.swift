import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentitySandbox
import Testing

/// The modules of `oidcc-client-back-channel-logout-rp-basic`, in their order.
@Suite("OpenID conformance suite: the plan for back-channel logout")
struct BackChannelLogoutPlanTests {
    /// Signs a buyer in, sends a logout token of the provider to the app, and checks the status and the remaining sessions.
    private func send(
        _ edit: @escaping @Sendable (inout SandboxIDToken) -> Void = { _ in },
        expecting status: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await CertificationModule.run { module in
            let sessions = module.sessions
            let app = try await LoopbackServer.start { request in
                let result = await sessions.backChannelLogout(
                    provider: CertificationModule.name,
                    body: request.body,
                    contentType: request.header("Content-Type")
                )
                return .message(status: result.status, headers: result.headers, body: result.body)
            }
            let session = try await module.login()
            let other = try await module.sessions.establish(
                try await module.sessions.tokens(for: session.id).tokens,
                provider: CertificationModule.name
            )
            module.buyer.forgetCookies()
            let sid = try #require(module.openID.sessionIDs(ofBuyer: module.buyer.email).first)
            let answer = try await module.openID.sendLogoutToken(
                for: .session(sid),
                to: app.origin + "/backchannel-logout",
                edit: edit
            )
            #expect(answer.status == status, sourceLocation: sourceLocation)
            #expect(answer.headers["Cache-Control"] == "no-store", sourceLocation: sourceLocation)
            let left = try await module.sessions.sessions().map(\.id)
            #expect(left.isEmpty == (status == 200), sourceLocation: sourceLocation)
            #expect(left.isEmpty || Set(left) == [session.id, other.id], sourceLocation: sourceLocation)
            await app.stop()
        }
    }

    /// The module `oidcc-client-test-rp-backchannel-rpinitlogout`.
    @Test("a logout token ends the sessions that it names, and gets status 200")
    func plain() async throws {
        try await send(expecting: 200)
    }

    /// The module `oidcc-client-test-rp-backchannel-rpinitlogout-alg-none`.
    @Test("an unsigned logout token is refused with status 400")
    func unsigned() async throws {
        try await send(
            {
                $0.header["alg"] = .string("none")
                $0.signature = .absent
            },
            expecting: 400
        )
    }

    /// The module `oidcc-client-test-rp-backchannel-rpinitlogout-no-event`.
    @Test("a logout token without the claim events is refused with status 400")
    func noEvent() async throws {
        try await send({ $0.claims["events"] = nil }, expecting: 400)
    }

    /// The module `oidcc-client-test-rp-backchannel-rpinitlogout-with-nonce`.
    @Test("a logout token with a nonce is refused with status 400")
    func withNonce() async throws {
        try await send({ $0.claims["nonce"] = .string("nonce") }, expecting: 400)
    }

    /// The module `oidcc-client-test-rp-backchannel-rpinitlogout-wrong-aud`.
    @Test("a logout token for another client is refused with status 400")
    func wrongAudience() async throws {
        try await send({ $0.claims["aud"] = .string("another-client") }, expecting: 400)
    }

    /// The module `oidcc-client-test-rp-backchannel-rpinitlogout-wrong-iss`.
    @Test("a logout token of another issuer is refused with status 400")
    func wrongIssuer() async throws {
        try await send({ $0.claims["iss"] = .string("https://other.example") }, expecting: 400)
    }

    /// The module `oidcc-client-test-rp-backchannel-rpinitlogout-wrong-event`.
    @Test("a logout token with another event is refused with status 400")
    func wrongEvent() async throws {
        let event: JSONObject = ["http://schemas.openid.net/event/another": .object([:])]
        try await send({ $0.claims["events"] = .object(event) }, expecting: 400)
    }

    /// The module `oidcc-client-test-rp-backchannel-rpinitlogout-wrong-alg`.
    @Test("a logout token that is signed with HMAC and the client secret is refused with status 400")
    func wrongAlgorithm() async throws {
        try await send(
            {
                $0.header["alg"] = .string("HS256")
                $0.signature = .hmac(key: Array((SandboxOpenIDConfiguration().clientSecret ?? "").utf8))
            },
            expecting: 400
        )
    }

    @Test(
        "a logout token without a required claim is refused with status 400",
        arguments: ["iss", "aud", "iat", "jti", "events"]
    )
    func withoutClaim(name: String) async throws {
        try await send({ $0.claims[name] = nil }, expecting: 400)
    }

    @Test("a logout token without sub and sid is refused with status 400")
    func withoutSubject() async throws {
        try await send(
            {
                $0.claims["sub"] = nil
                $0.claims["sid"] = nil
            },
            expecting: 400
        )
    }

    @Test("a logout token signed with another key is refused with status 400")
    func foreignKey() async throws {
        try await send({ $0.signature = .foreignKey }, expecting: 400)
    }
}
