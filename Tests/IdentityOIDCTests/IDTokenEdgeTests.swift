import FoundationEssentials
import IdentityCrypto
import IdentityKit
import IdentityOIDC
import TestDoubles
import Testing

/// Tokens with one invalid property each, which pass all other checks.
@Suite("ID token: edge cases of each check")
struct IDTokenEdgeTests {
    private static let forge = Result { try TokenSigner(.es256) }

    private func refusal(
        _ token: Secret,
        _ expected: SignedTokenExpectations = TokenSigner.expectations(),
        keys: JSONWebKeySet? = nil
    ) throws -> IdentityError.Code? {
        let keys = try keys ?? Self.forge.get().keySet()
        do {
            _ = try IDTokenValidator.validate(JSONWebToken(parsing: token), keys: keys, expecting: expected)
            return nil
        } catch {
            return error.code
        }
    }

    private func token(_ changes: [String: JSONValue?]) throws -> Secret {
        var claims = TokenSigner.goodClaims
        for (name, value) in changes { claims[name] = value }
        return try Self.forge.get().token(claims)
    }

    @Test("exp and iat are checked with the clock tolerance")
    func times() throws {
        let old: JSONValue = .integer(1_789_990_000)
        #expect(try refusal(token(["iat": old, "exp": .integer(1_789_999_940)])) == .idTokenTime)
        #expect(try refusal(token(["iat": old, "exp": .integer(1_789_999_941)])) == nil)
        #expect(try refusal(token(["iat": .integer(1_790_000_020), "exp": .integer(1_790_000_010)])) == .idTokenTime)
        #expect(try refusal(token(["iat": .integer(1_790_000_060)])) == nil)
        #expect(try refusal(token(["nbf": .integer(1_790_000_060)])) == nil)
    }

    @Test(
        "the hint about an invalid time in a token shows this machine's clock and the token's time, if the clock matters"
    )
    func clocks() throws {
        func hint(_ changes: [String: JSONValue?]) throws -> String {
            let error = #expect(throws: IdentityError.self) {
                let keys = try Self.forge.get().keySet()
                let jwt = try JSONWebToken(parsing: token(changes))
                _ = try IDTokenValidator.validate(jwt, keys: keys, expecting: TokenSigner.expectations())
            }
            #expect(error?.code == .idTokenTime)
            return try #require(error?.hint)
        }
        let past: JSONValue = .integer(1_789_990_000)
        let future: JSONValue = .integer(1_790_010_000)
        let ours =
            "Compare the clocks of this machine and of the provider. This machine's clock says 2026-09-21T14:13:20Z; the token "
        #expect(
            try hint(["iat": past, "exp": past]).hasPrefix(ours + "expires at 2026-09-21T11:26:40Z. If")
        )
        #expect(
            try hint(["iat": future, "exp": future]).hasPrefix(ours + "was issued at 2026-09-21T17:00:00Z. If")
        )
        #expect(try hint(["nbf": future]).hasPrefix(ours + "is valid from 2026-09-21T17:00:00Z. If"))
        #expect(try !hint(["exp": nil]).contains("clock"))
        #expect(try !hint(["iat": .integer(1_790_000_020), "exp": .integer(1_790_000_010)]).contains("clock"))
        // The validator does not know whether the tokens are kept, so its hint does not say so.
        #expect(try !hint(["exp": nil]).contains("kept"))
    }

    @Test("a logout token is refused as ID token, also without typ and nonce")
    func logoutToken() throws {
        var expected = TokenSigner.expectations()
        expected.nonce = nil
        func events(_ name: String) throws -> Secret {
            try token(["nonce": nil, "events": .object([name: .object([:])])])
        }
        let event = "http://schemas.openid.net/event/backchannel-logout"
        #expect(try refusal(events(event), expected) == .idTokenMalformed)
        #expect(try refusal(events("https://id.example/other"), expected) == nil)
    }

    @Test("an accepted issuer other than the login's is refused at a login, and at a refresh unless a list names both")
    func issuers() throws {
        var expected = TokenSigner.expectations()
        expected.issuers = .exactly(["https://id.example", "https://other.example"])
        let other = try token(["iss": .string("https://other.example")])
        #expect(try refusal(other, expected) == nil)
        expected.boundIssuer = "https://id.example"
        #expect(try refusal(other, expected) == .idTokenIssuer)
        expected.boundIssuer = nil
        expected.previous = TokenSet(
            buyer: Buyer(issuer: "https://id.example", subject: "buyer-1"),
            accessToken: Secret("a"),
            issuedAt: TokenSigner.now
        )
        expected.previous?.nonce = expected.nonce
        #expect(try refusal(other, expected) == nil)
        expected.issuers = IssuerPolicy(summary: "any") { _ in true }
        #expect(try refusal(other, expected) == .idTokenIssuer)
        #expect(!IssuerPolicy.exactly(["https://id.example/K"]).isAccepted("https://id.example/\u{212A}"))
    }

    @Test("at a refresh, an azp other than the login's is refused, even if both are accepted")
    func authorizedParty() throws {
        var expected = TokenSigner.expectations()
        expected.audiences = ["client-1", "alias"]
        expected.previous = TokenSet(
            buyer: Buyer(issuer: "https://id.example", subject: "buyer-1"),
            accessToken: Secret("a"),
            issuedAt: TokenSigner.now
        )
        expected.previous?.nonce = expected.nonce
        expected.previous?.authorizedParty = "client-1"
        #expect(try refusal(token(["azp": .string("alias")]), expected) == .idTokenAudience)
        #expect(try refusal(token(["azp": .string("client-1")]), expected) == nil)
    }

    @Test("a token with several accepted audiences needs no azp")
    func severalAudiences() throws {
        var expected = TokenSigner.expectations()
        expected.trustedAudiences = ["https://api.example"]
        let audiences = JSONValue.array([.string("client-1"), .string("https://api.example")])
        #expect(try refusal(token(["aud": audiences]), expected) == nil)
        #expect(try refusal(token(["aud": audiences, "azp": .string("client-1")]), expected) == nil)
        let foreign = try token(["aud": audiences, "azp": .string("https://api.example")])
        #expect(try refusal(foreign, expected) == .idTokenAudience)
    }

    @Test("at_hash uses the hash function of the token's algorithm")
    func accessTokenHash() throws {
        let digests: [(SignatureAlgorithm, ([UInt8]) throws -> [UInt8])] = [
            (.es256, Digest.sha256), (.es384, Digest.sha384), (.edDSA, Digest.sha512),
        ]
        var expected = TokenSigner.expectations()
        expected.accessToken = Secret("access-1")
        for (algorithm, digest) in digests {
            let forge = try TokenSigner(algorithm)
            let hash = try digest(Array("access-1".utf8))
            var claims = TokenSigner.goodClaims
            claims["at_hash"] = .string(Base64URL.encode(Array(hash.prefix(hash.count / 2))))
            #expect(try refusal(try forge.token(claims), expected, keys: try forge.keySet()) == nil)
            claims["at_hash"] = .string(Base64URL.encode(hash))
            #expect(
                try refusal(try forge.token(claims), expected, keys: try forge.keySet()) == .idTokenAccessTokenHash
            )
        }
    }

    @Test("a token with a fourth part, over 32 KiB, or whose kid, typ or alg is not a string is refused")
    func form() throws {
        let forge = try Self.forge.get()
        let good = try forge.token()
        #expect(try refusal(Secret(good.reveal() + ".x")) == .idTokenMalformed)
        #expect(try refusal(token(["x": .string(String(repeating: "a", count: 30_000))])) == .idTokenMalformed)
        for name in ["kid", "typ", "alg"] {
            #expect(try refusal(try forge.token { $0[name] = .integer(1) }) == .idTokenMalformed)
        }
    }

    @Test("a key that is not meant for this signature is not used")
    func keys() throws {
        var forge = try TokenSigner(.es256)
        let token = try forge.token()
        func keySet(_ changes: [String: JSONValue]) throws -> JSONWebKeySet {
            var object = forge.jwkMembers
            for (name, value) in changes { object[name] = value }
            return try JSONWebKeySet(parsing: JSONValue.object(["keys": .array([.object(object)])]).serialized)
        }
        let wrong: [[String: JSONValue]] = [
            ["use": .string("enc")], ["d": .string("AQAB")], ["use": .integer(1)],
            ["key_ops": .array([.string("encrypt")])],
            ["key_ops": .string("verify")], ["alg": .string("ES384")], ["alg": .integer(1)], ["kid": .integer(1)],
            ["kid": .string("K1")],
        ]
        for changes in wrong { #expect(try refusal(token, keys: try keySet(changes)) == .idTokenKeyUnknown) }
        let right: [[String: JSONValue]] = [
            ["use": .string("sig")], ["key_ops": .array([.string("verify")])], ["alg": .string("ES256")],
            ["issuer": .integer(1)],
        ]
        for changes in right { #expect(try refusal(token, keys: try keySet(changes)) == nil) }
        forge.keyID = nil
        #expect(try refusal(try forge.token(), keys: try keySet(["kid": .integer(1)])) == .idTokenKeyUnknown)
    }

    @Test("a key on the curve X25519 or Ed448 is ignored")
    func otherCurve() throws {
        var key = try TokenSigner(.edDSA).jwkMembers
        for (curve, count) in [("Ed25519", 1), ("X25519", 0), ("Ed448", 0)] {
            key["crv"] = .string(curve)
            let document = JSONValue.object(["keys": .array([.object(key)])]).serialized
            #expect(try JSONWebKeySet(parsing: document).count == count)
        }
    }

    @Test("a signed token that is not an ID token must have an accepted algorithm too")
    func listedAlgorithm() throws {
        let forge = try TokenSigner(.es256)
        let signature = try JSONWebToken(parsing: try forge.token()).jws
        try signature.verify(keys: try forge.keySet(), algorithms: [.es256])
        let error = #expect(throws: IdentityError.self) {
            try signature.verify(keys: try forge.keySet(), algorithms: [.rs256])
        }
        #expect(error?.code == .idTokenAlgorithm)
    }

    @Test(
        "keys in an error response are ignored",
        arguments: [(404, .configuration), (500, .retryLater)] as [(Int, IdentityError.Kind)]
    )
    func keysOfFailure(status: Int, kind: IdentityError.Kind) async throws {
        try await FakeWorld.run { world in
            let forge = try TokenSigner(.es256)
            world.fake.rotate(to: forge, publishing: true)
            world.fake.replace("/jwks", by: FakeProvider.json(["keys": .array([forge.jwk])], status: status))
            #expect(await world.refusal()?.kind == kind)
        }
    }

    @Test("at most eight keys are tried, and a key set has at most a hundred keys")
    func bounds() throws {
        var forge = try TokenSigner(.es256)
        forge.keyID = nil
        let otherKeys = try (0..<8).map { _ in try TokenSigner(.es256).jwk }
        func keySet(_ keys: [JSONValue]) throws -> JSONWebKeySet {
            try JSONWebKeySet(parsing: JSONValue.object(["keys": .array(keys)]).serialized)
        }
        #expect(try refusal(try forge.token(), keys: try keySet(otherKeys.dropLast() + [forge.jwk])) == nil)
        #expect(try refusal(try forge.token(), keys: try keySet(otherKeys + [forge.jwk])) == .idTokenSignature)
        forge.keyID = "k1"
        let named = try (0..<8).map { _ in try TokenSigner(.es256).jwk }
        #expect(try refusal(try forge.token(), keys: try keySet(named + [forge.jwk])) == .idTokenSignature)
        #expect(throws: IdentityError.self) { try keySet(Array(repeating: .null, count: 101)) }
        #expect(try keySet(Array(repeating: .null, count: 100)).count == 0)
    }
}
