import IdentityBolt
import IdentityHTTP
import IdentityKit
import TestDoubles
import Testing

@Suite("Bolt's ID tokens")
struct BoltIDTokenTests {
    private func signIn(
        _ bolt: FakeBolt,
        _ provider: BoltProvider,
        _ change: (inout JSONObject) -> Void
    ) async throws -> Buyer {
        let token = try bolt.idToken(change)
        bolt.answer("/v1/oauth/token", try bolt.tokens { $0["id_token"] = .string(token) })
        return try await bolt.signIn(provider).buyer
    }

    @Test(
        "each environment accepts its own issuers and no others",
        arguments: [
            (BoltEnvironment.production, "https://bolt.com", true), (.production, "https://api.boltapp.com", true),
            (.productionBoltApp, "https://api.bolt.com", true), (.production, "https://api-sandbox.bolt.com", false),
            (.sandbox, "https://api-sandbox.boltapp.com", true),
            (.sandboxBoltApp, "https://api-sandbox.bolt.com", true),
            (.sandbox, "https://boltapp.com", true), (.production, "http://api.bolt.com", false),
            (.production, "https://api.bolt.com/", false), (.staging, "https://api-staging.bolt.com", true),
        ]
    )
    func issuers(environment: BoltEnvironment, issuer: String, isAccepted: Bool) async throws {
        let bolt = try await FakeBolt()
        let provider = try bolt.provider {
            $0.environment = environment
            $0.endpoints.api = try? HTTPURL(bolt.origin)
        }
        let setIssuer: (inout JSONObject) -> Void = { $0["iss"] = .string(issuer) }
        if isAccepted {
            #expect(try await signIn(bolt, provider, setIssuer).issuer == issuer)
        } else {
            let error = await #expect(throws: IdentityError.self) { _ = try await signIn(bolt, provider, setIssuer) }
            #expect(error?.code == .idTokenIssuer)
            #expect(error?.hint?.contains("https://bolt.com or") == true)
            #expect(error?.providerResponse?.error == issuer)
        }
    }

    @Test("an empty list of issuers is a configuration error, also in a custom environment")
    func noIssuers() async throws {
        let bolt = try await FakeBolt()
        let environment = BoltEnvironment.custom(apiBase: bolt.origin, issuers: [])
        #expect(await failure { try bolt.provider { $0.issuers = [] } }?.kind == .configuration)
        #expect(await failure { try bolt.provider { $0.environment = environment } }?.kind == .configuration)
    }

    @Test("a configured API is an accepted issuer, and configured issuers replace all others")
    func replacedIssuers() async throws {
        let bolt = try await FakeBolt()
        let replaced = try bolt.provider {
            $0.environment = .sandbox
            $0.endpoints.api = try? HTTPURL(bolt.origin + "/")
        }
        #expect(try await signIn(bolt, replaced) { $0["iss"] = .string(bolt.origin) }.issuer == bolt.origin)
        let configured = try bolt.provider { $0.issuers = ["http://api.bolt.com"] }
        _ = try await signIn(bolt, configured) { $0["iss"] = .string("http://api.bolt.com") }
        await #expect(throws: IdentityError.self) { _ = try await signIn(bolt, configured) { _ in } }
    }

    @Test(
        "the audience must be the whole publishable key or its last section, alone or among others",
        arguments: [
            (JSONValue.string("aaa.bbb.ccc"), true), (.string("ccc"), true),
            (.array([.string("ccc")]), true), (.array([.string("other"), .string("aaa.bbb.ccc")]), true),
            (.string("bbb.ccc"), false), (.string("aaa"), false), (.array([]), false), (.string("CCC"), false),
            (.array([.string("ccc"), .integer(1)]), false),
        ]
    )
    func audience(_ audience: JSONValue, isAccepted: Bool) async throws {
        let bolt = try await FakeBolt()
        let provider = try bolt.provider()
        if isAccepted {
            _ = try await signIn(bolt, provider) { $0["aud"] = audience }
        } else {
            let error = await failure { try await signIn(bolt, provider) { $0["aud"] = audience } }
            #expect(error?.code == .idTokenAudience)
        }
    }

    @Test("Bolt's own claims name the buyer, and only the boolean true marks a contact as verified")
    func claims() async throws {
        let bolt = try await FakeBolt()
        let buyer = try await signIn(bolt, try bolt.provider()) {
            $0["email_verified"] = .string("true")
            $0["given_name"] = .string("not Bolt's")
            $0["last_name"] = .string("")
        }
        #expect(buyer.email == Buyer.Contact("ada@example.com", isVerified: false))
        #expect(buyer.phone == Buyer.Contact("+14155550123", isVerified: true))
        #expect(buyer.givenName == "Ada")
        #expect(buyer.familyName == nil)
    }

    @Test("a sent nonce must be in the ID token")
    func nonce() async throws {
        let bolt = try await FakeBolt()
        let provider = try bolt.provider { $0.sendsNonce = true }
        #expect(await failure { try await signIn(bolt, provider) { _ in } }?.code == .idTokenNonce)
    }

    @Test("Bolt's metadata document gives the endpoints, and its issuer may differ from the issuer of the ID token")
    func discovery() async throws {
        let bolt = try await FakeBolt()
        bolt.answer(
            "/.well-known/openid-configuration",
            .json([
                "issuer": .string("https://api.bolt.com"), "authorization_endpoint": .string(bolt.origin + "/a"),
                "token_endpoint": .string(bolt.origin + "/t"), "jwks_uri": .string(bolt.origin + "/k"),
            ])
        )
        bolt.answer("/k", bolt.keySet())
        let token = try bolt.idToken { $0["iss"] = .string("https://boltapp.com") }
        bolt.answer("/t", try bolt.tokens { $0["id_token"] = .string(token) })
        let provider = try bolt.provider {
            $0.endpoints.discovery = try? HTTPURL(bolt.origin + "/.well-known/openid-configuration")
        }
        #expect(try await bolt.signIn(provider).buyer.issuer == "https://boltapp.com")
    }

    @Test("an unverified e-mail address is not linked to an account")
    func accountLinking() {
        func decide(_ email: Buyer.Contact?, _ subjectIsKnown: Bool, _ emailIsKnown: Bool) -> BoltAccountLink {
            let buyer = Buyer(issuer: "https://bolt.com", subject: "1", email: email)
            return .decide(for: buyer, subjectIsKnown: subjectIsKnown, emailIsKnown: emailIsKnown)
        }
        let (verified, unverified) = (
            Buyer.Contact("a@b.c", isVerified: true), Buyer.Contact("a@b.c", isVerified: false)
        )
        #expect(decide(unverified, true, true) == .signIn)
        #expect(decide(verified, false, false) == .create)
        #expect(decide(unverified, false, false) == .create)
        #expect(decide(nil, false, true) == .create)
        #expect(decide(verified, false, true) == .link)
        #expect(decide(unverified, false, true) == .refuse)
    }
}
