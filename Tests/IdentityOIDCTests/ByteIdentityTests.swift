import FoundationEssentials
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentityTesting
import TestDoubles
import Testing

/// Two texts can be canonically equivalent in Unicode, for example K and U+212A KELVIN SIGN.
///
/// `String ==` treats them as equal, although their bytes differ.
@Suite("Identifiers are compared byte by byte")
struct ByteIdentityTests {
    private static let forge = Result { try TokenSigner(.es256) }

    /// Pairs that `String ==` cannot tell apart; the texts of the last pair have the same number of bytes.
    static let pairs = [
        ("K1", "\u{212A}1"), ("\u{E9}", "e\u{301}"), ("\u{212B}", "\u{C5}"), ("\u{2126}", "\u{3A9}"),
        ("\u{374}", "\u{2B9}"),
    ]

    @Test("Swift's == treats the pairs of texts in this suite as equal, although their bytes differ", arguments: pairs)
    func premise(one: String, other: String) {
        #expect(one == other)
        #expect(!one.isIdentical(to: other))
    }

    private func refusal(
        _ changes: JSONObject,
        _ change: (inout SignedTokenExpectations) -> Void
    ) throws -> IdentityError.Code? {
        var claims = TokenSigner.goodClaims
        for (name, value) in changes.members { claims[name] = value }
        var expected = TokenSigner.expectations()
        change(&expected)
        let forge = try Self.forge.get()
        do {
            let jwt = try JSONWebToken(parsing: forge.token(claims))
            _ = try IDTokenValidator.validate(jwt, keys: forge.keySet(), expecting: expected)
            return nil
        } catch let error as IdentityError {
            return error.code
        }
    }

    @Test("iss, aud, azp, nonce, acr and sub of an ID token are compared byte by byte", arguments: pairs)
    func claims(ours: String, theirs: String) throws {
        for (text, isOurs) in [(ours, true), (theirs, false)] {
            let value = JSONValue.string(text)
            func expected(_ code: IdentityError.Code) -> IdentityError.Code? { isOurs ? nil : code }
            #expect(try refusal(["iss": value]) { $0.issuers = .exactly([ours]) } == expected(.idTokenIssuer))
            #expect(
                try refusal(["iss": value]) {
                    $0.issuers = .exactly([ours, theirs])
                    $0.boundIssuer = ours
                } == expected(.idTokenIssuer)
            )
            #expect(try refusal(["aud": value]) { $0.audiences = [ours] } == expected(.idTokenAudience))
            #expect(
                try refusal(["aud": .array([.string("client-1"), value])]) { $0.audiences.append(ours) }
                    == expected(.idTokenAudience)
            )
            #expect(try refusal(["azp": value]) { $0.audiences.append(ours) } == expected(.idTokenAudience))
            #expect(try refusal(["nonce": value]) { $0.nonce = Secret(ours) } == expected(.idTokenNonce))
            #expect(
                try refusal(["acr": value]) { $0.authenticationContexts = [ours] } == expected(.idTokenAuthentication)
            )
            #expect(
                try refusal(["sub": value]) {
                    $0.previous = TokenSet(
                        buyer: Buyer(issuer: "https://id.example", subject: ours),
                        accessToken: Secret("a"),
                        issuedAt: TokenSigner.now
                    )
                    $0.previous?.nonce = $0.nonce
                } == expected(.idTokenSubject)
            )
        }
    }

    @Test("the kid of a token is compared with the kid of a key byte by byte", arguments: pairs)
    func keys(ours: String, theirs: String) throws {
        var forge = try Self.forge.get()
        forge.keyID = ours
        let keys = try forge.keySet()
        func refusal() throws -> IdentityError.Code? {
            let token = try forge.token()
            do {
                let jwt = try JSONWebToken(parsing: token)
                _ = try IDTokenValidator.validate(jwt, keys: keys, expecting: TokenSigner.expectations())
                return nil
            } catch {
                return error.code
            }
        }
        #expect(try refusal() == nil)
        forge.keyID = theirs
        #expect(try refusal() == .idTokenKeyUnknown)
    }

    @Test("state and iss of a callback are compared byte by byte", arguments: pairs)
    func callbacks(ours: String, theirs: String) throws {
        func refusal(state: String, issuer: String) -> IdentityError.Code? {
            let query = FormEncoding.encode([("code", "c"), ("state", state), ("iss", issuer)])
            do {
                _ = try AuthorizationResponse.code(
                    in: try LoginCallback(form: query),
                    for: LoginAttempt(state: ours, issuer: ours),
                    accepting: .exactly([]),
                    requiresIssuer: true
                )
                return nil
            } catch {
                return error.code
            }
        }
        #expect(refusal(state: ours, issuer: ours) == nil)
        #expect(refusal(state: theirs, issuer: ours) == .stateInvalid)
        #expect(refusal(state: ours, issuer: theirs) == .responseIssuerMismatch)
    }
}
