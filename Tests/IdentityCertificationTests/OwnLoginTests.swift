import IdentityKit
import IdentityOIDC
import IdentitySandbox
import TestDoubles
import Testing

/// Logins in the code flow that a client must refuse and for which the conformance suite has no module.
@Suite("Login responses that must be refused, beyond the conformance suite")
struct OwnLoginTests {
    @Test("a wrong at_hash is refused in the code flow")
    func invalidHash() async throws {
        try await CertificationModule.run { module in
            try await module.refusesLogin(.idTokenAccessTokenHash, .claim("at_hash", appending: "1"))
            try await module.refusesLogin(.idTokenAccessTokenHash, .foreignAccessTokenHash)
            // Token injection (RFC 9700 section 4.6): a valid ID token with another access token.
            try await module.refusesLogin(.idTokenAccessTokenHash, .member("access_token", .string("injected")))
        }
    }

    @Test("an at_hash that cannot be checked is refused")
    func hashFailsClosed() async throws {
        let strange: [JSONValue] = [.null, .bool(true), .integer(1), .string(""), .array([]), .object([:])]
        try await CertificationModule.run { module in
            for value in strange { try await module.refusesLogin(.idTokenAccessTokenHash, .claim("at_hash", value)) }
            // If the hash of an algorithm is unknown, the comparison must fail and not be skipped.
            for algorithm in ["ES256K", "XX999", "RS256 ", "rs256", ""] {
                try await module.refusesLogin(
                    .idTokenAlgorithm,
                    .foreignAccessTokenHash.and(.tokenHeader("alg", .string(algorithm)))
                )
            }
        }
    }

    @Test("a missing at_hash is accepted in the code flow")
    func missingHash() async throws {
        try await CertificationModule.run { try await $0.acceptsLogin(.claim("at_hash", nil)) }
    }

    @Test(
        "a claim of a wrong JSON type is refused with the error code of the claim",
        arguments: [
            ("iss", IdentityError.Code.idTokenIssuer), ("aud", .idTokenAudience), ("azp", .idTokenAudience),
            ("sub", .idTokenSubject), ("exp", .idTokenTime), ("iat", .idTokenTime), ("nbf", .idTokenTime),
            ("auth_time", .idTokenTime), ("nonce", .idTokenNonce),
        ]
    )
    func types(claim: String, code: IdentityError.Code) async throws {
        var strange: [JSONValue] = [.null, .bool(true), .string("1"), .array([.null]), .object([:])]
        if ["iss", "aud", "azp", "sub", "nonce"].contains(claim) { strange += [.string(""), .integer(1)] }
        // Any string is a valid subject at a first login.
        if claim == "sub" { strange.removeAll { $0 == .string("1") } }
        try await CertificationModule.run { module in
            for value in strange { try await module.refusesLogin(code, .claim(claim, value)) }
        }
    }

    @Test(
        "an exp that is out of range or not a JSON number is refused",
        arguments: [
            "1e300", "-1", "9223372036854775808", "1e-300", "253402300800", "01", "NaN", "0x7fffffff", "1.", "--1",
        ]
    )
    func numbers(text: String) async throws {
        try await CertificationModule.run { module in
            // Invalid JSON makes the whole token malformed; an invalid time makes only the claim invalid.
            let isNumber = (try? JSONValue(parsing: Array(text.utf8))) != nil
            try await module.refusesLogin(isNumber ? .idTokenTime : .idTokenMalformed, .rawClaim("exp", text))
        }
    }

    @Test("a duplicate claim or header member is refused, also if its name is escaped", arguments: [false, true])
    func duplicates(isEscaped: Bool) async throws {
        try await CertificationModule.run { module in
            try await module.refusesLogin(
                .idTokenMalformed,
                .duplicateClaim("sub", .string("user-1"), escaped: isEscaped)
            )
            try await module.refusesLogin(
                .idTokenMalformed,
                .duplicateTokenHeader("alg", .string("RS256"), escaped: isEscaped)
            )
        }
    }

    static let texts: [(String, SandboxFault)] = [
        ("unused bits set", .nonCanonicalTail), ("padded header", .padded(.header)),
        ("padded payload", .tokenPart(.payload) { $0 + "=" }), ("padded signature", .padded(.signature)),
        ("line break behind", .idTokenText { $0 + "\n" }), ("blank before", .idTokenText { " " + $0 }),
        ("blank inside", .tokenPart(.payload) { "\($0.prefix(8)) \($0.dropFirst(8))" }),
        ("base64 alphabet", .tokenPart(.signature) { $0.dropLast(2) + "+/" }),
        ("fourth part", .idTokenText { $0 + ".AA" }), ("dots", .dots(1_000_000)),
        ("JSON serialization", .jsonSerialization()), ("general JSON", .jsonSerialization(isFlattened: false)),
        ("invalid UTF-8 in the claims", .idToken { $0.rawClaims = [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D] }),
        ("an array as claims", .idToken { $0.rawClaims = Array("[]".utf8) }),
        ("an array as header", .idToken { $0.rawHeader = Array("[]".utf8) }),
        ("crit", .critical("exp")), ("b64", .unencodedPayload(isCritical: false)),
        ("critical b64", .unencodedPayload(isCritical: true)),
    ]

    @Test("an ID token that is not exactly a compact JWS is refused", arguments: texts.indices)
    func text(index: Int) async throws {
        let (name, fault) = Self.texts[index]
        try await CertificationModule.run { module in
            // The response with a million dots is too large, and no member of a response may contain a line break.
            let isRefusedBefore = ["dots", "line break behind"].contains(name)
            let code: IdentityError.Code = isRefusedBefore ? .tokenResponseInvalid : .idTokenMalformed
            try await module.refusesLogin(code, fault)
        }
    }

    @Test("a refused login revokes the tokens of its response")
    func refusedLoginRevokes() async throws {
        var setup = CertificationModule.Setup()
        setup.openID.supportsRevocation = true
        let heard = EventSink()
        setup.observer = heard
        let refusals: [(IdentityError.Code, SandboxFault)] = [
            (.idTokenNonce, .claim("nonce", appending: "1")), (.idTokenIssuer, .claim("iss", appending: "1")),
            (.idTokenMissing, .member("id_token", .null)), (.tokenResponseInvalid, .member("token_type", .null)),
            (.tokenResponseInvalid, .member("expires_in", .string("soon"))),
        ]
        try await CertificationModule.run(setup) { module in
            for (index, refusal) in refusals.enumerated() {
                try await module.refusesLogin(refusal.0, refusal.1)
                let requests = module.openID.requests(to: .revocation)
                #expect(requests.count == index + 1)
                #expect(requests.last?.formValue("token_type_hint") == "refresh_token")
            }
            let dropped = heard.names.filter { $0.hasPrefix("login_tokens_dropped") }
            #expect(dropped == refusals.map { _ in "login_tokens_dropped revoked" })
            // An accepted login revokes no tokens.
            try await module.acceptsLogin()
            #expect(module.openID.requests(to: .revocation).count == refusals.count)
        }
    }

    @Test("a refused login without a refresh token revokes the access token")
    func refusedLoginWithoutRefreshToken() async throws {
        var setup = CertificationModule.Setup()
        setup.openID.supportsRevocation = true
        try await CertificationModule.run(setup) { module in
            let fault = SandboxFault.claim("nonce", appending: "1").and(.member("refresh_token", .null))
            try await module.refusesLogin(.idTokenNonce, fault)
            let request = try #require(module.openID.requests(to: .revocation).first)
            #expect(request.formValue("token_type_hint") == "access_token")
            // A response without tokens causes no revocation.
            try await module.refusesLogin(
                .tokenResponseInvalid,
                .member("access_token", .null).and(.member("refresh_token", .null))
            )
            #expect(module.openID.requests(to: .revocation).count == 1)
        }
    }

    @Test("a signed token inside another token is refused")
    func nested() async throws {
        let pair = try SandboxKeyPair()
        try await CertificationModule.run { module in
            try await module.refusesLogin(.idTokenMalformed, .nested(signedBy: pair))
        }
    }
}
