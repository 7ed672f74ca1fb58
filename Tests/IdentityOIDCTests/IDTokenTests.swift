import FoundationEssentials
import IdentityCrypto
import IdentityKit
import IdentityOIDC
import IdentityTesting
import TestDoubles
import Testing

@Suite("ID token")
struct IDTokenTests {
    static let forge = Result { try TokenSigner() }

    func refusal(
        _ token: Secret,
        _ expected: SignedTokenExpectations = TokenSigner.expectations(),
        keys: JSONWebKeySet? = nil
    ) throws -> IdentityError? {
        let keys = try keys ?? Self.forge.get().keySet()
        do {
            _ = try IDTokenValidator.validate(JSONWebToken(parsing: token), keys: keys, expecting: expected)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "a valid token is accepted with each of these algorithms, also if the key set has unusable keys",
        arguments: [SignatureAlgorithm.rs256, .ps256, .es256, .es384, .edDSA]
    )
    func good(algorithm: SignatureAlgorithm) throws {
        let forge = try TokenSigner(algorithm)
        let claims = try IDTokenValidator.validate(
            JSONWebToken(parsing: forge.token()),
            keys: forge.keySet(),
            expecting: TokenSigner.expectations()
        )
        #expect(claims.subject == "buyer-1")
        #expect(claims.standardBuyer.email == Buyer.Contact("ada@example.com", isVerified: true))
    }

    struct Lie: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: IdentityError.Code
        let change: @Sendable (inout JSONObject) -> Void

        init(_ name: String, _ code: IdentityError.Code, _ change: @escaping @Sendable (inout JSONObject) -> Void) {
            testDescription = name
            self.code = code
            self.change = change
        }
    }

    static let lies: [Lie] = [
        Lie("another issuer", .idTokenIssuer) { $0["iss"] = .string("https://id.example1") },
        Lie("an issuer that is equal only under Unicode equivalence", .idTokenIssuer) {
            $0["iss"] = .string("https://id.e\u{0078}ample\u{200D}")
        },
        Lie("no issuer", .idTokenIssuer) { $0["iss"] = nil },
        Lie("an issuer that is a list", .idTokenIssuer) { $0["iss"] = .array([.string("https://id.example")]) },
        Lie("another audience", .idTokenAudience) { $0["aud"] = .string("client-11") },
        Lie("no audience", .idTokenAudience) { $0["aud"] = nil },
        Lie("an empty list of audiences", .idTokenAudience) { $0["aud"] = .array([]) },
        Lie("an unknown audience beside the client", .idTokenAudience) {
            $0["aud"] = .array([.string("client-1"), .string("somebody")])
        },
        Lie("a number among the audiences", .idTokenAudience) {
            $0["aud"] = .array([.string("client-1"), .integer(1)])
        },
        Lie("issued to another party", .idTokenAudience) { $0["azp"] = .string("somebody") },
        Lie("no subject", .idTokenSubject) { $0["sub"] = nil },
        Lie("an empty subject", .idTokenSubject) { $0["sub"] = .string("") },
        Lie("a subject that is a number", .idTokenSubject) { $0["sub"] = .integer(1) },
        Lie("a subject of 256 bytes", .idTokenSubject) { $0["sub"] = .string(String(repeating: "a", count: 256)) },
        Lie("expired", .idTokenTime) { $0["exp"] = .integer(1_789_999_939) },
        Lie("no expiry", .idTokenTime) { $0["exp"] = nil },
        Lie("expiry as a text", .idTokenTime) { $0["exp"] = .string("1790000300") },
        Lie("expiry true", .idTokenTime) { $0["exp"] = .bool(true) },
        Lie("expiry -1", .idTokenTime) { $0["exp"] = .integer(-1) },
        Lie("expiry 2^63", .idTokenTime) { $0["exp"] = try? JSONValue(parsing: Array("9223372036854775808".utf8)) },
        Lie("expiry 1e300", .idTokenTime) { $0["exp"] = try? JSONValue(parsing: Array("1e300".utf8)) },
        Lie("no iat", .idTokenTime) { $0["iat"] = nil },
        Lie("issued in the future", .idTokenTime) { $0["iat"] = .integer(1_790_000_061) },
        Lie("not valid yet", .idTokenTime) { $0["nbf"] = .integer(1_790_000_061) },
        Lie("another nonce", .idTokenNonce) { $0["nonce"] = .string("nonce-11") },
        Lie("no nonce", .idTokenNonce) { $0["nonce"] = nil },
        Lie("a nonce that is a number", .idTokenNonce) { $0["nonce"] = .integer(1) },
        Lie("the hash of another access token", .idTokenAccessTokenHash) {
            $0["at_hash"] = .string("AAAAAAAAAAAAAAAAAAAAAA")
        },
    ]

    @Test("each invalid claim is refused with the expected error code", arguments: lies)
    func lie(_ lie: Lie) throws {
        var claims = TokenSigner.goodClaims
        lie.change(&claims)
        var expected = TokenSigner.expectations()
        expected.accessToken = Secret("access-1")
        let error = try refusal(try Self.forge.get().token(claims), expected)
        #expect(error?.code == lie.code)
        #expect(error?.kind == .rejected)
        #expect(error?.reference != nil)
    }

    @Test("at_hash of the right access token is accepted")
    func accessTokenHash() throws {
        var claims = TokenSigner.goodClaims
        let hash = try Digest.sha256(Array("access-1".utf8)).prefix(16)
        claims["at_hash"] = .string(Base64URL.encode(Array(hash)))
        var expected = TokenSigner.expectations()
        expected.accessToken = Secret("access-1")
        #expect(try refusal(try Self.forge.get().token(claims), expected) == nil)
    }

    @Test(
        "alg none is refused in every spelling, before any key is used",
        arguments: ["none", "None", "nOnE", "", "HS256"]
    )
    func unsigned(algorithm: String) throws {
        let forge = try Self.forge.get()
        let signed = try forge.token(header: { $0["alg"] = .string(algorithm) }).reveal()
        let unsigned = signed.split(separator: ".").prefix(2).joined(separator: ".") + "."
        for token in [signed, unsigned] {
            #expect(try refusal(Secret(token))?.code == .idTokenAlgorithm)
        }
    }

    @Test("a token signed with HMAC and the public key is refused")
    func algorithmConfusion() throws {
        let forge = try Self.forge.get()
        let header = Array(#"{"alg":"HS256","kid":"k1"}"#.utf8)
        let input =
            "\(Base64URL.encode(header)).\(Base64URL.encode(JSONValue.object(TokenSigner.goodClaims).serialized))"
        let key = SecretBytes(forge.jwk.serialized)
        let code = try HMACSHA256.authenticationCode(for: Array(input.utf8), key: key)
        #expect(try refusal(Secret("\(input).\(Base64URL.encode(code))"))?.code == .idTokenAlgorithm)
    }

    @Test("an algorithm that is not accepted is refused even with a valid signature")
    func allowList() throws {
        let forge = try TokenSigner(.es256)
        var expected = TokenSigner.expectations()
        expected.algorithms = [.rs256]
        #expect(try refusal(try forge.token(), expected, keys: try forge.keySet())?.code == .idTokenAlgorithm)
    }

    @Test("a changed payload, header or signature is refused")
    func tampering() throws {
        let token = try Self.forge.get().token().reveal()
        let parts = token.split(separator: ".").map(String.init)
        var claims = TokenSigner.goodClaims
        claims["sub"] = .string("buyer-2")
        let forged = "\(parts[0]).\(Base64URL.encode(JSONValue.object(claims).serialized)).\(parts[2])"
        #expect(try refusal(Secret(forged))?.code == .idTokenSignature)
        let flipped = token.dropLast(10) + (token.suffix(10).first == "A" ? "B" : "A") + token.suffix(9)
        #expect(try refusal(Secret(String(flipped)))?.code == .idTokenSignature)
    }

    @Test("a key in the token's header is never used")
    func keysInTheHeader() throws {
        let attacker = try TokenSigner()
        let token = try attacker.token { header in
            header["jwk"] = attacker.jwk
            header["jku"] = .string("http://127.0.0.1:1/keys")
        }
        #expect(try refusal(token)?.code == .idTokenSignature)
    }

    @Test(
        "a token that is not a canonical compact JWS is refused",
        arguments: [
            "", ".", "..", "a.b", "a.b.c.d", "e30.e30.", "e30=.e30.AA", "e31.e30.AA", "e30.e30.AB", " e30.e30.AA",
            String(repeating: ".", count: 1_000_000),
        ]
    )
    func malformed(token: String) throws {
        #expect(try refusal(Secret(token))?.kind == .rejected)
    }

    @Test("an ID token with crit, with b64 false or with the typ of another kind of token is refused")
    func extensions() throws {
        let forge = try Self.forge.get()
        let tokens = [
            try forge.token { $0["crit"] = .array([.string("exp")]) }, try forge.token { $0["b64"] = .bool(false) },
            try forge.token { $0["typ"] = .string("logout+jwt") }, try forge.token { $0["typ"] = .string("at+jwt") },
        ]
        for token in tokens { #expect(try refusal(token)?.code == .idTokenMalformed) }
    }

    @Test("a duplicate claim is refused, also if one is escaped")
    func duplicateClaims() throws {
        let forge = try Self.forge.get()
        let header = Array(#"{"alg":"RS256","kid":"k1"}"#.utf8)
        for twice in [#""sub":"a","sub":"b""#, #""sub":"a","\u0073ub":"b""#] {
            let payload = #"{"iss":"https://id.example","aud":"client-1","exp":1790000300,"iat":1790000000,\#(twice)}"#
            #expect(try refusal(try forge.sign(header, Array(payload.utf8)))?.code == .idTokenMalformed)
        }
    }

    @Test("audiences that differ only in KELVIN SIGN and K are different")
    func unicodeIdentity() throws {
        var expected = TokenSigner.expectations()
        expected.audiences = ["K"]
        var claims = TokenSigner.goodClaims
        claims["aud"] = .string("\u{212A}")
        #expect(try refusal(try Self.forge.get().token(claims), expected)?.code == .idTokenAudience)
    }

    @Test("without kid every suitable key is tried; with an unknown kid no key is tried")
    func keySelection() throws {
        var forge = try TokenSigner()
        var other = try TokenSigner()
        other.keyID = "k2"
        let keys = try forge.keySet(beside: [other.jwk])
        forge.keyID = nil
        #expect(try refusal(try forge.token(), keys: keys) == nil)
        forge.keyID = "k2"
        #expect(try refusal(try forge.token(), keys: keys)?.code == .idTokenSignature)
        forge.keyID = "k3"
        #expect(try refusal(try forge.token(), keys: keys)?.code == .idTokenKeyUnknown)
    }

    @Test("max_age requires a recent login")
    func maximumAge() throws {
        var expected = TokenSigner.expectations()
        expected.maximumAgeSeconds = 100
        var claims = TokenSigner.goodClaims
        #expect(try refusal(try Self.forge.get().token(claims), expected)?.code == .idTokenAuthentication)
        claims["auth_time"] = .integer(1_789_999_800)
        #expect(try refusal(try Self.forge.get().token(claims), expected)?.code == .idTokenAuthentication)
        claims["auth_time"] = .integer(1_789_999_950)
        #expect(try refusal(try Self.forge.get().token(claims), expected) == nil)
    }

    @Test("acr must be one of the requested acr_values")
    func authenticationContext() throws {
        var expected = TokenSigner.expectations()
        expected.authenticationContexts = ["phr", "phrh"]
        let forge = try Self.forge.get()
        var claims = TokenSigner.goodClaims
        #expect(try refusal(try forge.token(claims), expected)?.code == .idTokenAuthentication)
        claims["acr"] = .string("pwd")
        #expect(try refusal(try forge.token(claims), expected)?.code == .idTokenAuthentication)
        claims["acr"] = .string("phrh")
        #expect(try refusal(try forge.token(claims), expected) == nil)
    }
}
