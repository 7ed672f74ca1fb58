import IdentityHTTP
import IdentityKit
import IdentitySandbox
import Testing

/// Mix-up attacks (RFC 9700 section 4.4 and the draft of its successor): a callback or token of one provider is used for another.
@Suite("Mix-up attacks with two providers")
struct MixUpTests {
    @Test("a callback of one provider is refused at the route of another provider")
    func anotherCallback() async throws {
        try await TwoProviders.run { world in
            let (callback, binding) = try await world.callback(of: "a")
            #expect(await world.refusal(callback, binding, at: "b") == .responseIssuerMismatch)
            // The pending login was taken, so the correct callback URL does not help afterwards.
            #expect(await world.refusal(callback, binding, at: "a") == .stateUnknown)
            #expect(world.tokenRequests == 0)
        }
    }

    @Test("a code that another provider issued for this login is refused before it is sent")
    func anotherCode() async throws {
        try await TwoProviders.run(sharesRedirectURI: true) { world in
            // The attacker at b redirects the browser to a. Then a sends the callback of a login that the app began at b.
            let started = try await world.sessions.begin("b")
            let forwarded = started.url.text.replacingPrefix(world.b.openID.issuer, by: world.a.openID.issuer)
            let url = try await world.buyer.login(at: forwarded, redirectURI: TwoProviders.redirectURI["a"])
            let callback = try LoginCallback(url: url)
            #expect(await world.refusal(callback, started.browserBinding, at: nil) == .responseIssuerMismatch)
            #expect(world.tokenRequests == 0)
        }
    }

    @Test("without iss, separate redirect URIs show that another provider sent the callback")
    func withoutIssuer() async throws {
        try await TwoProviders.run { world in
            // If b does not announce iss, its separate redirect URI shows that the response is from a.
            let code = try await world.refusalWithoutIssuer(at: "a")
            #expect(code == .responseIssuerMismatch)
            #expect(world.tokenRequests == 0)
        }
    }

    @Test("without iss, a callback at a redirect URI that two providers share is refused")
    func sharedRedirectURI() async throws {
        try await TwoProviders.run(sharesRedirectURI: true) { world in
            // Neither the callback URL nor the response shows which provider issued the code.
            let code = try await world.refusalWithoutIssuer(at: nil)
            #expect(code == .responseIssuerMismatch)
            #expect(world.tokenRequests == 0)
        }
    }

    @Test("if one provider has no redirect URI, a callback without iss is accepted only with its provider's name")
    func withoutRedirectURI() async throws {
        // Provider a is like Bolt: its redirect URI is registered there and not configured here.
        try await TwoProviders.run(redirectURIs: ["b": "https://app.example/callback"]) { world in
            for name in ["b", nil] {
                let code = try await world.refusalWithoutIssuer(at: name)
                // If the app says that the callback URL belongs to b alone, the code is sent to b.
                #expect(code == (name == nil ? .responseIssuerMismatch : .invalidGrant))
            }
            #expect(world.tokenRequests == 1)
        }
    }

    @Test("a provider of another tenant counts as a possible sender of a callback")
    func otherTenant() async throws {
        try await TwoProviders.run(sharesRedirectURI: true, tenant: "shop-b") { world in
            let code = try await world.refusalWithoutIssuer(at: nil)
            #expect(code == .responseIssuerMismatch)
            #expect(world.tokenRequests == 0)
        }
    }

    @Test("an ID token of another provider with the same client id is refused")
    func sameClientID() async throws {
        try await TwoProviders.run { world in
            // Both sandboxes sign with the same key, so only the issuer distinguishes their tokens.
            let (first, firstBinding) = try await world.callback(of: "b")
            let session = try await world.sessions.complete(first, browserBinding: firstBinding, provider: "b").session
            let foreign = try await world.sessions.tokens(for: session.id).tokens
            let token = try #require(foreign.idToken).reveal()
            world.a.openID.planFault(.idTokenText { _ in token }, on: .token)
            let (callback, binding) = try await world.callback(of: "a")
            #expect(await world.refusal(callback, binding, at: "a") == .idTokenIssuer)
            #expect(try await world.sessions.sessions().map(\.provider) == ["b"])
        }
    }

    @Test("the same subject at two tenants means two buyers")
    func tenants() async throws {
        try await TwoProviders.run { world in
            for name in ["a", "b"] {
                let (callback, binding) = try await world.callback(of: name)
                _ = try await world.sessions.complete(callback, browserBinding: binding, provider: name)
            }
            // The same subject at two shops means two buyers.
            let sessions = try await world.sessions.sessions()
            #expect(Set(sessions.map(\.buyer.subject)).count == 1)
            let ended = try await world.sessions.logoutAll(
                issuer: world.a.openID.issuer,
                subject: sessions[0].buyer.subject
            )
            #expect(ended.map(\.session.provider) == ["a"])
            let left = try await world.sessions.sessions(matching: SessionFilter(tenant: "shop-a"))
            #expect(left.isEmpty)
            #expect(try await world.sessions.sessions().map(\.provider) == ["b"])
        }
    }
}

extension String {
    fileprivate func replacingPrefix(_ prefix: String, by other: String) -> String {
        hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
    }
}
