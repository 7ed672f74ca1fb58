import FoundationEssentials
import IdentityCrypto
import IdentityKit
import IdentityOIDC
import IdentityTesting
import TestDoubles
import Testing

extension IDTokenTests {
    @Test("a refreshed ID token may repeat an auth_time with more digits than the milliseconds that a session stores")
    func fractionalLogin() throws {
        let forge = try Self.forge.get()
        var claims = TokenSigner.goodClaims
        claims["auth_time"] = try JSONValue(parsing: Array("1789999000.123456".utf8))
        var expected = TokenSigner.expectations()
        let jwt = try JSONWebToken(parsing: forge.token(claims))
        let login = try IDTokenValidator.validate(jwt, keys: forge.keySet(), expecting: expected)
        var tokens = TokenSet(buyer: login.standardBuyer, accessToken: Secret("a"), issuedAt: TokenSigner.now)
        tokens.authenticatedAt = login.authenticatedAt
        tokens.nonce = expected.nonce
        expected.previous = RecordReader(RecordWriter.record(tokens.write(to:))).flatMap(TokenSet.init(record:))
        #expect(expected.previous != nil)
        #expect(try refusal(try forge.token(claims), expected) == nil)
        claims["auth_time"] = try JSONValue(parsing: Array("1789999000.2".utf8))
        #expect(try refusal(try forge.token(claims), expected)?.code == .idTokenAuthentication)
    }

    @Test("a refreshed ID token must have the buyer, issuer and login of the first one")
    func continuity() throws {
        var expected = TokenSigner.expectations()
        expected.nonce = nil
        var previous = TokenSet(
            buyer: Buyer(issuer: "https://id.example", subject: "buyer-1"),
            accessToken: Secret("a"),
            issuedAt: TokenSigner.now
        )
        previous.authenticatedAt = Date(timeIntervalSince1970: 1_789_999_000)
        previous.nonce = Secret("nonce-1")
        expected.previous = previous
        let forge = try Self.forge.get()
        var claims = TokenSigner.goodClaims
        claims["auth_time"] = .integer(1_789_999_000)
        #expect(try refusal(try forge.token(claims), expected) == nil)
        let changes: [(String, JSONValue, IdentityError.Code)] = [
            ("sub", .string("buyer-2"), .idTokenSubject), ("nonce", .string("other"), .idTokenNonce),
            ("auth_time", .integer(1_789_999_001), .idTokenAuthentication),
        ]
        for (name, value, code) in changes {
            var changed = claims
            changed[name] = value
            #expect(try refusal(try forge.token(changed), expected)?.code == code)
        }
    }

    @Test("a refreshed ID token may have another issuer than the login only if the configuration lists both")
    func movedIssuer() throws {
        let (old, new) = ("https://id.example", "https://new.example")
        var claims = TokenSigner.goodClaims
        claims["iss"] = .string(new)
        claims["nonce"] = nil
        let token = try Self.forge.get().token(claims)
        var expected = TokenSigner.expectations()
        expected.nonce = nil
        expected.previous = TokenSet(
            buyer: Buyer(issuer: old, subject: "buyer-1"),
            accessToken: Secret("a"),
            issuedAt: TokenSigner.now
        )
        let policies: [(IssuerPolicy, Bool)] = [
            ([old], false), ([new], false), ([old, new], true), (IssuerPolicy(summary: "any") { _ in true }, false),
        ]
        for (policy, isAccepted) in policies {
            expected.issuers = policy
            #expect(try (refusal(token, expected) == nil) == isAccepted, "\(policy.summary)")
        }
    }
}
