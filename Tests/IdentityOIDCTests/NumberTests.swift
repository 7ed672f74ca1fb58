import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import TestDoubles
import Testing

/// The times and lifetimes that a provider sends, with unusual and invalid numbers.
@Suite("Numbers in tokens and responses")
struct NumberTests {
    private static let forge = Result { try TokenSigner(.es256) }

    /// JSON texts that are an invalid time in every claim.
    static let noTimes = [
        "1e300", "1e400", "-1e400", "-1", "\"1\"", "\"1790000000\"", "true", "false", "null", "9223372036854775808",
        "18446744073709551616", "253402300800", "[1790000000]", "{}", "-0.5", "\"\"",
    ]

    /// Times of the year 1970 in unusual notations.
    static let longAgo = ["1e-400", "-0", "-0.0", "0", "0.5", "5E-1", "0e99999"]

    private func refusal(_ name: String, _ text: String, maximumAge: Int? = nil) throws -> IdentityError.Code? {
        var claims = TokenSigner.goodClaims
        claims[name] = try JSONValue(parsing: Array(text.utf8))
        var expected = TokenSigner.expectations()
        expected.maximumAgeSeconds = maximumAge
        do {
            let forge = try Self.forge.get()
            _ = try IDTokenValidator.validate(
                JSONWebToken(parsing: forge.token(claims)),
                keys: forge.keySet(),
                expecting: expected
            )
            return nil
        } catch let error as IdentityError {
            return error.code
        }
    }

    @Test("exp, iat, nbf and auth_time must be numbers of the years 1970 to 9999", arguments: noTimes)
    func times(text: String) throws {
        for claim in ["exp", "iat", "nbf", "auth_time"] {
            #expect(try refusal(claim, text) == .idTokenTime, "\(claim)")
        }
    }

    @Test(
        "a time long ago is too old as exp, and as auth_time with max_age, and is accepted otherwise",
        arguments: longAgo
    )
    func oldTimes(text: String) throws {
        #expect(try refusal("exp", text) == .idTokenTime)
        #expect(try refusal("auth_time", text, maximumAge: 3600) == .idTokenAuthentication)
        for claim in ["iat", "nbf", "auth_time"] { #expect(try refusal(claim, text) == nil, "\(claim)") }
    }

    @Test("a huge max_age refuses no login, and zero requires a new login")
    func maximumAge() throws {
        #expect(try refusal("auth_time", "0", maximumAge: .max) == nil)
        #expect(try refusal("auth_time", "1790000000", maximumAge: 0) == nil)
        #expect(try refusal("auth_time", "1789999939", maximumAge: 0) == .idTokenAuthentication)
        // An auth_time in the future would satisfy every later max_age.
        #expect(try refusal("auth_time", "1790000060") == nil)
        #expect(try refusal("auth_time", "1790000061") == .idTokenTime)
    }

    private func lifetime(_ text: String) throws(IdentityError) -> TimeInterval? {
        let object: JSONObject = [
            "access_token": .string("a"), "token_type": .string("Bearer"),
            "expires_in": (try? JSONValue(parsing: Array(text.utf8))) ?? .null,
        ]
        return try TokenResponse(object).lifetime
    }

    @Test(
        "expires_in must be more than zero and at most ten years",
        arguments: noTimes.filter { $0 != "null" && $0 != "\"1\"" }
            + longAgo.filter { !$0.hasSuffix("5") && $0 != "5E-1" }
            + ["316224001"]
    )
    func lifetimes(text: String) {
        let error = #expect(throws: IdentityError.self) { try lifetime(text) }
        #expect(error?.code == .tokenResponseInvalid)
    }

    @Test("expires_in may have a fraction, and null counts as missing")
    func usableLifetimes() throws {
        #expect(try lifetime("0.5") == 0.5)
        #expect(try lifetime("3.6e3") == 3600)
        #expect(try lifetime("316224000") == 316_224_000)
        #expect(try lifetime("null") == nil)
    }

    @Test(
        "expires_in as a string must have digits only, and be more than zero",
        arguments: ["+60", "-60", "0", "00", " 60", "60 ", "6e1", "60.0", "0x3c", "9223372036854775808", "٦٠", ""]
    )
    func lifetimesAsText(text: String) throws {
        #expect(throws: IdentityError.self) { try lifetime("\"\(text)\"") }
        #expect(try lifetime("\"60\"") == 60)
        #expect(try lifetime("\"0060\"") == 60)
    }

    @Test(
        "Retry-After must have digits only, and at most an hour is used",
        arguments: [
            ("0", 0), ("120", 120), ("3600", 3600), ("3601", 3600), ("9223372036854775807", 3600),
            ("9223372036854775808", 3600), (String(repeating: "9", count: 400), 3600), ("1e300", nil), ("-1", nil),
            ("+5", nil), ("1.5", nil), ("0x10", nil), ("true", nil), ("null", nil), ("٥", nil), ("", nil),
            ("5 5", nil), ("5,5", nil), ("Wed, 21 Oct 2026 07:28:00 GMT", nil),
        ] as [(String, Int?)]
    )
    func waiting(text: String, seconds: Int?) throws {
        var headers = HTTPHeaders()
        try headers.append("Retry-After", text)
        let answer = try TokenEndpointResponse(HTTPResponse(status: 503, headers: headers, body: []), to: .refreshToken)
        guard case .failure(let failure) = answer else { return #expect(Bool(false)) }
        #expect(failure.standardError.retryAfter == seconds.map { .seconds($0) })
    }
}
