import FoundationEssentials
import IdentityKit
import IdentityLoopback
import IdentityOIDC
import Testing

@Suite("Claims of a session")
struct ClaimsTests {
    private static func nested(_ depth: Int) -> JSONValue {
        (0..<depth).reduce(JSONValue.string("deep")) { value, _ in .array([value]) }
    }

    @Test("the ID token's claims are stored with the session, as deeply nested as is permitted, and are not printed")
    func stored() async throws {
        try await FakeWorld.run { world in
            world.fake.change(claims: { claims in
                claims["acr"] = .string("urn:example:gold")
                claims["amr"] = .array([.string("pwd"), .string("otp")])
                claims["auth_time"] = .integer(1_789_999_000)
                claims["sid"] = .string("provider-session")
                claims["azp"] = .string("client-1")
                claims["https://shop.example/groups"] = .array([.string("wholesale-group")])
                claims["deep"] = Self.nested(62)
                claims["_claim_names"] = .object(["credit": .string("src1")])
                claims["_claim_sources"] = .object(["src1": .object(["JWT": .string("a.b.c")])])
            })
            let manager = try world.manager()
            let established = try await manager.establish(try await world.login(), provider: "fake")
            let session = try await manager.session(established.id)
            for claims in [established.claims, session.claims] {
                let claims = try #require(claims)
                #expect(claims.issuer == world.fake.origin)
                #expect(claims.subject == "buyer-1")
                #expect(claims.authenticationContext == "urn:example:gold")
                #expect(claims.authenticationMethods == ["pwd", "otp"])
                #expect(claims.authenticatedAt == Date(timeIntervalSince1970: 1_789_999_000))
                #expect(claims.providerSessionID == "provider-session")
                #expect(claims.authorizedParty == "client-1")
                #expect(claims["https://shop.example/groups"] == .array([.string("wholesale-group")]))
                #expect(claims["deep"] == Self.nested(62))
                #expect(claims["email"]?.string == "ada@example.com")
                for name in ["nonce", "at_hash", "_claim_names", "_claim_sources"] { #expect(claims[name] == nil) }
            }
            let tokens = try await manager.tokens(for: session.id).tokens
            for value in [session, session.claims as Any, tokens] as [Any] {
                var text = ""
                dump(value, to: &text)
                #expect(!(text + String(describing: value) + String(reflecting: value)).contains("wholesale-group"))
            }
        }
    }

    @Test("a refreshed ID token replaces the claims as a whole; a refresh without one keeps them")
    func refreshed() async throws {
        try await FakeWorld.run { world in
            world.fake.change(claims: { claims in
                claims["groups"] = .array([.string("wholesale")])
                claims["locale"] = .string("de")
                claims["auth_time"] = .integer(1_789_999_000)
            })
            let manager = try world.manager()
            let id = try await manager.establish(try await world.login(), provider: "fake").id
            world.fake.change(answer: { $0["id_token"] = nil })
            world.fake.expect(nonce: nil)
            #expect(try await manager.refreshTokens(for: id).session.claims?["locale"]?.string == "de")
            world.fake.change(answer: { _ in })
            world.fake.change(claims: { claims in
                claims["groups"] = .array([.string("retail")])
                claims["_claim_names"] = .object(["credit": .string("src1")])
            })
            _ = try await manager.refreshTokens(for: id)
            let session = try await manager.session(id)
            #expect(session.claims?["groups"] == .array([.string("retail")]))
            #expect(session.claims?["locale"] == nil && session.claims?["_claim_names"] == nil)
            #expect(session.claims?.authenticatedAt == nil)
            // The session keeps the time of the login.
            #expect(session.authenticatedAt == Date(timeIntervalSince1970: 1_789_999_000))
        }
    }

    @Test(
        "an empty claim counts as missing, only a JSON true marks a contact as verified, and a sid has at most 512 bytes"
    )
    func standardClaims() {
        func claims(_ all: JSONObject) -> IDTokenClaims {
            IDTokenClaims(issuer: "https://id.example", subject: "buyer-1", all: all)
        }
        #expect(claims(["name": .string(""), "acr": .string("")]).standardBuyer.displayName == nil)
        #expect(claims(["acr": .string("")]).authenticationContext == nil)
        for (flag, isVerified) in [(JSONValue.bool(true), true), (.string("true"), false), (.integer(1), false)] {
            let buyer = claims(["email": .string("ada@example.com"), "email_verified": flag]).standardBuyer
            #expect(buyer.email == Buyer.Contact("ada@example.com", isVerified: isVerified))
        }
        for (count, isKept) in [(512, true), (513, false)] {
            let sid = String(repeating: "s", count: count)
            #expect(claims(["sid": .string(sid)]).providerSessionID == (isKept ? sid : nil))
        }
    }

    @Test("a refreshed ID token that is refused does not change the claims")
    func refusedRefresh() async throws {
        try await FakeWorld.run { world in
            world.fake.change(claims: { $0["groups"] = .string("wholesale") })
            let manager = try world.manager()
            let id = try await manager.establish(try await world.login(), provider: "fake").id
            world.fake.expect(nonce: nil)
            world.fake.change(claims: { claims in
                claims["groups"] = .string("admin")
                claims["exp"] = .integer(1)
            })
            await #expect(throws: IdentityError.self) { try await manager.refreshTokens(for: id) }
            #expect(try await manager.session(id).claims?["groups"]?.string == "wholesale")
        }
    }

    @Test("UserInfo's claims are requested separately, and do not change the claims of the ID token")
    func userInfo() async throws {
        try await FakeWorld.run { world in
            let manager = try world.manager()
            let id = try await manager.establish(try await world.login(), provider: "fake").id
            world.fake.replace(
                "/userinfo",
                by: FakeProvider.json([
                    "sub": .string("buyer-1"), "acr": .string("gold"), "groups": .array([.string("admin")]),
                    "_claim_sources": .object([:]), "_claim_names": .object([:]),
                ])
            )
            let info = try await manager.userInfo(for: id)
            #expect(info.issuer == world.fake.origin)
            #expect(info["groups"] == .array([.string("admin")]))
            #expect(info["_claim_sources"] == nil && info["_claim_names"] == nil)
            #expect(!"\(info)".contains("admin"))
            let session = try await manager.session(id)
            #expect(session.claims?["groups"] == nil)
            #expect(session.claims?.authenticationContext == nil)
            world.fake.replace("/userinfo", by: FakeProvider.json(["sub": .string("buyer-2")]))
            let error = await #expect(throws: IdentityError.self) { try await manager.userInfo(for: id) }
            #expect(error?.code == .idTokenSubject)
            world.fake.change(metadata: { $0["userinfo_endpoint"] = nil })
            let other = try OpenIDProvider(world.provider.client.configuration, environment: world.environment)
            let tokens = try await manager.tokens(for: id).tokens
            let missing = await #expect(throws: IdentityError.self) { try await other.userInfo(for: tokens) }
            #expect(missing?.code == .unsupportedByProvider)
        }
    }

    @Test("a UserInfo request that is still refused after one refresh fails with the provider's challenge")
    func refusedProfile() async throws {
        try await FakeWorld.run { world in
            let manager = try world.manager()
            let id = try await manager.establish(try await world.login(), provider: "fake").id
            world.fake.expect(nonce: nil)
            let challenge = #"Bearer error="invalid_token", error_description="The token is for another audience.""#
            world.fake.replace("/userinfo", by: .message(status: 401, headers: [("WWW-Authenticate", challenge)]))
            for _ in 0..<3 {
                let error = await #expect(throws: IdentityError.self) { try await manager.buyerProfile(for: id) }
                #expect(error?.code == .accessTokenRefused)
                #expect(error?.kind == .rejected)
                #expect(error?.providerResponse?.errorDescription == "The token is for another audience.")
            }
            #expect(world.fake.requests(to: "/token").count == 2)
            #expect(world.fake.requests(to: "/userinfo").count == 4)
        }
    }
}
