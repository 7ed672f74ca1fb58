import IdentityHTTP
import IdentityKit
import IdentitySandbox
import Testing

/// Mix-up and confusion of configurations (RFC 9700 section 4.4 and its draft successor).
@Suite("Own modules: several providers")
struct MixUpTests {
    @Test("identitykit-mixup-callback-of-another-provider")
    func anotherCallback() async throws {
        try await TwoProviders.run { world in
            let (callback, binding) = try await world.callback(of: "a")
            #expect(await world.refusal(callback, binding, at: "b") == .responseIssuerMismatch)
            // The attempt is spent: the right place comes too late.
            #expect(await world.refusal(callback, binding, at: "a") == .stateUnknown)
            #expect(world.tokenRequests == 0)
        }
    }

    @Test("identitykit-mixup-code-of-another-provider")
    func anotherCode() async throws {
        try await TwoProviders.run(sharesRedirectURI: true) { world in
            // The attacker at b sends the browser on to a, which answers a login that the app believes to be b's.
            let started = try await world.sessions.begin("b")
            let forwarded = started.url.text.replacingPrefix(world.b.openID.issuer, by: world.a.openID.issuer)
            let url = try await world.buyer.login(at: forwarded, redirectURI: TwoProviders.redirectURI["a"])
            let callback = try LoginCallback(url: url)
            #expect(await world.refusal(callback, started.browserBinding, at: nil) == .responseIssuerMismatch)
            #expect(world.tokenRequests == 0)
        }
    }

    @Test("identitykit-mixup-without-iss")
    func withoutIssuer() async throws {
        try await TwoProviders.run { world in
            // Where b does not promise iss, the redirect URI of its own is what gives the answer of a away.
            world.b.openID.misbehave(
                .member("authorization_response_iss_parameter_supported", .bool(false)),
                on: .discovery
            )
            let started = try await world.sessions.begin("b")
            let state = try #require(
                started.url.text.split(separator: "&").first { $0.hasPrefix("state=") }
            )
            let callback = try LoginCallback(url: "https://app.example/callback?code=of-a&\(state)")
            #expect(await world.refusal(callback, started.browserBinding, at: "a") == .responseIssuerMismatch)
            #expect(world.tokenRequests == 0)
        }
    }

    @Test("identitykit-mixup-shared-redirect-uri-without-iss")
    func sharedRedirectURI() async throws {
        try await TwoProviders.run(sharesRedirectURI: true) { world in
            world.b.openID.misbehave(
                .member("authorization_response_iss_parameter_supported", .bool(false)),
                on: .discovery
            )
            let started = try await world.sessions.begin("b")
            let state = try #require(
                started.url.text.split(separator: "&").first { $0.hasPrefix("state=") }
            )
            // Nothing tells whose code it is, neither the address nor the answer.
            let callback = try LoginCallback(url: "https://app.example/callback?code=of-a&\(state)")
            #expect(await world.refusal(callback, started.browserBinding, at: nil) == .responseIssuerMismatch)
            #expect(world.tokenRequests == 0)
        }
    }

    @Test("identitykit-mixup-provider-without-redirect-uri")
    func withoutRedirectURI() async throws {
        // a is like Bolt: its callback is registered there, and nothing is configured here.
        try await TwoProviders.run(redirectURIs: ["b": "https://app.example/callback"]) { world in
            world.b.openID.misbehave(
                .member("authorization_response_iss_parameter_supported", .bool(false)),
                on: .discovery
            )
            for name in ["b", nil] {
                let started = try await world.sessions.begin("b")
                let state = try #require(started.url.text.split(separator: "&").first { $0.hasPrefix("state=") })
                let callback = try LoginCallback(url: "https://app.example/callback?code=of-a&\(state)")
                let code = await world.refusal(callback, started.browserBinding, at: name)
                // Where the app says that the address is b's, and b's alone, the code is b's to judge.
                #expect(code == (name == nil ? .responseIssuerMismatch : .invalidGrant))
            }
            #expect(world.tokenRequests == 1)
        }
    }

    @Test("identitykit-mixup-other-tenant")
    func otherTenant() async throws {
        try await TwoProviders.run(sharesRedirectURI: true, tenant: "shop-b") { world in
            world.b.openID.misbehave(
                .member("authorization_response_iss_parameter_supported", .bool(false)),
                on: .discovery
            )
            let started = try await world.sessions.begin("b")
            let state = try #require(started.url.text.split(separator: "&").first { $0.hasPrefix("state=") })
            let callback = try LoginCallback(url: "https://app.example/callback?code=of-a&\(state)")
            #expect(await world.refusal(callback, started.browserBinding, at: nil) == .responseIssuerMismatch)
            #expect(world.tokenRequests == 0)
        }
    }

    @Test("identitykit-same-client-id-at-two-providers")
    func sameClientID() async throws {
        try await TwoProviders.run { world in
            // The two sandboxes even sign with the same key: the issuer alone tells their tokens apart.
            let (first, firstBinding) = try await world.callback(of: "b")
            let session = try await world.sessions.complete(first, browserBinding: firstBinding, provider: "b").session
            let foreign = try await world.sessions.tokens(for: session.id).tokens
            let token = try #require(foreign.idToken).reveal()
            world.a.openID.misbehave(.idTokenText { _ in token }, on: .token)
            let (callback, binding) = try await world.callback(of: "a")
            #expect(await world.refusal(callback, binding, at: "a") == .idTokenIssuer)
            #expect(try await world.sessions.sessions().map(\.provider) == ["b"])
        }
    }

    @Test("identitykit-two-tenants")
    func tenants() async throws {
        try await TwoProviders.run { world in
            for name in ["a", "b"] {
                let (callback, binding) = try await world.callback(of: name)
                _ = try await world.sessions.complete(callback, browserBinding: binding, provider: name)
            }
            // The same subject at two shops is two buyers.
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
