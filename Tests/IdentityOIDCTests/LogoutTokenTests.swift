import FoundationEssentials
import IdentityCrypto
import IdentityKit
import IdentityOIDC
import TestDoubles
import Testing

@Suite("Logout token")
struct LogoutTokenTests {
    private static let forge = Result { try TokenSigner() }
    static let event = "http://schemas.openid.net/event/backchannel-logout"

    static var goodClaims: JSONObject {
        [
            "iss": .string("https://id.example"), "sub": .string("buyer-1"), "sid": .string("session-1"),
            "aud": .string("client-1"), "iat": .integer(1_790_000_000), "exp": .integer(1_790_000_120),
            "jti": .string("token-1"), "events": .object([event: .object([:])]),
        ]
    }

    private func validate(
        _ token: Secret,
        _ change: (inout SignedTokenExpectations) -> Void = { _ in }
    ) throws -> LogoutTokenClaims {
        var expected = TokenSigner.expectations()
        change(&expected)
        return try LogoutTokenValidator.read(token, expecting: expected).verify(try Self.forge.get().keySet())
    }

    private func refusal(
        _ token: Secret,
        _ change: (inout SignedTokenExpectations) -> Void = { _ in }
    ) -> IdentityError.Code? {
        let error = #expect(throws: IdentityError.self) { _ = try validate(token, change) }
        #expect(error?.kind == .rejected)
        return error?.code
    }

    @Test("a valid logout token names a buyer, a session or both")
    func good() throws {
        let forge = try Self.forge.get()
        let both = try validate(try forge.token(Self.goodClaims) { $0["typ"] = .string("logout+jwt") })
        #expect(both.issuer == "https://id.example")
        #expect(both.subject == "buyer-1")
        #expect(both.providerSessionID == "session-1")
        #expect(both.tokenID == "token-1")
        #expect(both.expiresAt == Date(timeIntervalSince1970: 1_790_000_180))
        for (claim, subject, session) in [("sub", nil, "session-1"), ("sid", "buyer-1", nil)]
            as [(String, String?, String?)]
        {
            var claims = Self.goodClaims
            claims[claim] = nil
            let notice = try validate(try forge.token(claims))
            #expect(notice.subject == subject)
            #expect(notice.providerSessionID == session)
        }
    }

    @Test("the error about a malformed logout token calls it a logout token")
    func malformed() {
        for text in ["", "a.b.c", String(repeating: "a", count: 40_000)] {
            let error = #expect(throws: IdentityError.self) { _ = try validate(Secret(text)) }
            #expect(error?.code == .idTokenMalformed)
            #expect(error?.message.hasPrefix("The logout token ") == true)
        }
    }

    @Test("typ may be missing, JWT or the type of logout tokens; other types are refused")
    func types() throws {
        let forge = try Self.forge.get()
        for type in [nil, "JWT", "jwt", "logout+jwt", "Logout+JWT", "application/logout+jwt"] as [String?] {
            _ = try validate(try forge.token(Self.goodClaims) { $0["typ"] = type.map { .string($0) } })
        }
        for type in ["id_token+jwt", "at+jwt", "secevent+jwt", "application/jwt", ""] {
            let token = try forge.token(Self.goodClaims) { $0["typ"] = .string(type) }
            #expect(refusal(token) == .idTokenMalformed)
        }
    }

    static let lies: [IDTokenTests.Lie] = [
        .init("another issuer", .idTokenIssuer) { $0["iss"] = .string("https://other.example") },
        .init("no issuer", .idTokenIssuer) { $0["iss"] = nil },
        .init("another audience", .idTokenAudience) { $0["aud"] = .string("client-2") },
        .init("an unknown audience beside the client", .idTokenAudience) {
            $0["aud"] = .array([.string("client-1"), .string("client-2")])
        },
        .init("no audience", .idTokenAudience) { $0["aud"] = nil },
        .init("no iat", .idTokenTime) { $0["iat"] = nil },
        .init("no exp", .idTokenTime) { $0["exp"] = nil },
        .init("an exp in the past", .idTokenTime) { $0["exp"] = .integer(1_789_999_940) },
        .init("an iat in the future", .idTokenTime) { $0["iat"] = .integer(1_790_000_061) },
        .init("an iat more than a day ago, with an exp far in the future", .idTokenTime) {
            $0["iat"] = .integer(1_790_000_000 - 86_460)
            $0["exp"] = .integer(2_000_000_000)
        },
        .init("no jti", .logoutTokenInvalid) { $0["jti"] = nil },
        .init("an empty jti", .logoutTokenInvalid) { $0["jti"] = .string("") },
        .init("a jti that is a number", .logoutTokenInvalid) { $0["jti"] = .integer(1) },
        .init("a jti of 513 bytes", .logoutTokenInvalid) { $0["jti"] = .string(String(repeating: "j", count: 513)) },
        .init("no events", .logoutTokenInvalid) { $0["events"] = nil },
        .init("events that are a list", .logoutTokenInvalid) { $0["events"] = .array([.string(event)]) },
        .init("events of another kind", .logoutTokenInvalid) { $0["events"] = .object([event + "2": .object([:])]) },
        .init("an event that is not an object", .logoutTokenInvalid) { $0["events"] = .object([event: .string("{}")]) },
        .init("a nonce", .logoutTokenInvalid) { $0["nonce"] = .string("nonce-1") },
        .init("a nonce that is null", .logoutTokenInvalid) { $0["nonce"] = .null },
        .init("neither sub nor sid", .logoutTokenInvalid) {
            $0["sub"] = nil
            $0["sid"] = nil
        },
        .init("an empty sub beside a sid", .idTokenSubject) { $0["sub"] = .string("") },
        .init("a sub that is a number", .idTokenSubject) { $0["sub"] = .integer(1) },
        .init("an empty sid beside a sub", .logoutTokenInvalid) { $0["sid"] = .string("") },
        .init("a sid that is null", .logoutTokenInvalid) { $0["sid"] = .null },
    ]

    @Test("each invalid claim of a logout token is refused", arguments: lies)
    func lie(_ lie: IDTokenTests.Lie) throws {
        var claims = Self.goodClaims
        lie.change(&claims)
        #expect(refusal(try Self.forge.get().token(claims)) == lie.code)
    }

    @Test("a forged logout token is suspected as an attack, and one that is late or incomplete is not")
    func forged() throws {
        let forge = try Self.forge.get()
        func isAttackSuspected(_ token: Secret) -> Bool? {
            #expect(throws: IdentityError.self) { _ = try validate(token) }?.isAttackSuspected
        }
        func token(_ change: (inout JSONObject) -> Void) throws -> Secret {
            var claims = Self.goodClaims
            change(&claims)
            return try forge.token(claims)
        }
        #expect(isAttackSuspected(try TokenSigner().token(Self.goodClaims)) == true)
        #expect(isAttackSuspected(try forge.token(Self.goodClaims) { $0["kid"] = .string("k9") }) == true)
        #expect(isAttackSuspected(try forge.token(Self.goodClaims) { $0["alg"] = .string("none") }) == true)
        #expect(isAttackSuspected(try forge.token()) == true, "an ID token")
        #expect(isAttackSuspected(try token { $0["iss"] = .string("https://other.example") }) == true)
        #expect(isAttackSuspected(try token { $0["aud"] = .string("client-2") }) == true)
        #expect(isAttackSuspected(try token { $0["nonce"] = .string("n") }) == true)
        #expect(isAttackSuspected(try token { $0["jti"] = nil }) == false)
        #expect(isAttackSuspected(try token { $0["exp"] = .integer(1_789_999_940) }) == false)
    }

    @Test("a logout token is valid until it expires, a day after iat at most, and may have further events")
    func edges() throws {
        let forge = try Self.forge.get()
        var claims = Self.goodClaims
        claims["events"] = .object(["https://other.example": .null, Self.event: .object(["a": .bool(true)])])
        _ = try validate(try forge.token(claims)) { $0.now += 179.9 }
        #expect(refusal(try forge.token(claims)) { $0.now += 180 } == .idTokenTime)
        claims["exp"] = .integer(2_000_000_000)
        let long = try validate(try forge.token(claims)) { $0.now += 86_459.9 }
        #expect(long.expiresAt == TokenSigner.now + 86_460)
    }

    @Test("signature, algorithm and key are checked as for an ID token")
    func signature() throws {
        let forge = try Self.forge.get()
        let otherForge = try TokenSigner()
        #expect(refusal(try otherForge.token(Self.goodClaims)) == .idTokenSignature)
        #expect(refusal(try forge.token(Self.goodClaims) { $0["kid"] = .string("k9") }) == .idTokenKeyUnknown)
        #expect(refusal(try forge.token(Self.goodClaims)) { $0.algorithms = [.es256] } == .idTokenAlgorithm)
        for name in ["none", "None", "HS256"] {
            #expect(refusal(try forge.token(Self.goodClaims) { $0["alg"] = .string(name) }) == .idTokenAlgorithm)
        }
        let critical = try forge.token(Self.goodClaims) { $0["crit"] = .array([.string("exp")]) }
        #expect(refusal(critical) == .idTokenMalformed)
        let parts = try forge.token(Self.goodClaims).reveal().split(separator: ".")
        #expect(refusal(Secret("\(parts[0]).\(parts[1]).")) == .idTokenSignature)
    }

    @Test("an ID token is refused as logout token, and a logout token as ID token")
    func confusion() throws {
        let forge = try Self.forge.get()
        #expect(refusal(try forge.token()) == .logoutTokenInvalid)
        let error = #expect(throws: IdentityError.self) {
            _ = try IDTokenValidator.validate(
                JSONWebToken(parsing: forge.token(Self.goodClaims)),
                keys: forge.keySet(),
                expecting: TokenSigner.expectations()
            )
        }
        #expect(error?.code == .idTokenNonce)
    }
}
