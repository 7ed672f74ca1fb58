import FoundationEssentials
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import TestDoubles
import Testing

@Suite("Bolt's token responses")
struct TokenResponseTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        var status: Int
        var error: String
        var kind: IdentityError.Kind
        var code: IdentityError.Code
        var testDescription: String { "\(status) \(error)" }
    }

    @Test(
        "a token error has the code of its name, also with other case and spaces; 429, 500 and 503 are outages",
        arguments: [
            Refusal(status: 400, error: "invalid_grant", kind: .rejected, code: .invalidGrant),
            Refusal(status: 422, error: "invalid_grant", kind: .rejected, code: .invalidGrant),
            Refusal(status: 422, error: "invalid _grant", kind: .rejected, code: .invalidGrant),
            Refusal(status: 403, error: " Invalid_Grant\n", kind: .rejected, code: .invalidGrant),
            Refusal(status: 401, error: "invalid_client", kind: .configuration, code: .invalidClient),
            Refusal(status: 401, error: "unauthorized_client", kind: .configuration, code: .invalidClient),
            Refusal(status: 403, error: "unauthorized_client", kind: .configuration, code: .unauthorizedClient),
            Refusal(status: 400, error: "invalid_scope", kind: .configuration, code: .invalidScope),
            Refusal(status: 403, error: "unsupported_grant_type", kind: .configuration, code: .unsupportedGrantType),
            Refusal(status: 400, error: "invalid_request", kind: .rejected, code: .invalidRequest),
            Refusal(status: 403, error: "request_forbidden", kind: .configuration, code: .unauthorizedClient),
            Refusal(status: 500, error: "invalid_grant", kind: .retryLater, code: .providerUnavailable),
            Refusal(status: 429, error: "invalid _grant", kind: .retryLater, code: .providerUnavailable),
            Refusal(status: 503, error: "request_forbidden", kind: .retryLater, code: .providerUnavailable),
            Refusal(status: 429, error: "request_forbidden", kind: .retryLater, code: .providerUnavailable),
            Refusal(status: 503, error: "oops", kind: .retryLater, code: .providerUnavailable),
            Refusal(status: 429, error: "slow_down", kind: .retryLater, code: .providerUnavailable),
            Refusal(status: 400, error: "invalid_grants", kind: .rejected, code: .unexpectedResponse),
        ]
    )
    func refusals(_ refusal: Refusal) async throws {
        let bolt = try await FakeBolt()
        bolt.answer(
            "/v1/oauth/token",
            .json(
                ["error": .string(refusal.error), "error_description": .string("no")],
                status: refusal.status,
                headers: [("X-Bolt-Trace-Id", "trace-7"), ("X-Request-Id", "other")]
            )
        )
        let error = await #expect(throws: IdentityError.self) { _ = try await bolt.signIn(try bolt.provider()) }
        #expect(error?.kind == refusal.kind)
        #expect(error?.code == refusal.code)
        #expect(error?.providerResponse?.status == refusal.status)
        #expect(error?.providerResponse?.traceID == "trace-7")
        #expect(bolt.requests(to: "/v1/oauth/token").count == 1)
    }

    @Test("the hint for a merchant without single sign-on names Bolt's support")
    func requestForbidden() async throws {
        let bolt = try await FakeBolt()
        bolt.answer("/v1/oauth/token", .json(["error": .string("request_forbidden")], status: 403))
        let error = await #expect(throws: IdentityError.self) { _ = try await bolt.signIn(try bolt.provider()) }
        #expect(error?.hint?.contains("single sign-on") == true)
    }

    @Test(
        "the hint for a refused client names members of Bolt's configuration",
        arguments: [
            ("invalid_client", ["publishableKey", "apiKey", "environment"]),
            ("unauthorized_client", ["publishableKey", "environment"]),
            ("unsupported_grant_type", ["publishableKey", "environment"]), ("invalid_scope", ["scopes"]),
        ]
    )
    func members(error name: String, members: [String]) async throws {
        let bolt = try await FakeBolt()
        bolt.answer("/v1/oauth/token", .json(["error": .string(name)], status: 400))
        let error = await #expect(throws: IdentityError.self) { _ = try await bolt.signIn(try bolt.provider()) }
        let hint = (try #require(error?.hint)).replacing("clientIDForm", with: "")
        for member in members { #expect(hint.contains(member), "\(hint)") }
        #expect(!hint.contains("clientID") && !hint.contains("clientSecret"))
    }

    @Test("a refresh that gets an HTML page with status 502 fails with retryLater")
    func outage() async throws {
        let bolt = try await FakeBolt()
        let provider = try bolt.provider()
        bolt.answer("/v1/oauth/token", try bolt.tokens())
        let tokens = try await bolt.signIn(provider)
        bolt.answer("/v1/oauth/token", .message(status: 502, body: Array("<html>Bad gateway".utf8)))
        let error = await #expect(throws: IdentityError.self) { _ = try await provider.refresh(tokens) }
        #expect(error?.kind == .retryLater)
    }

    @Test("an invalid refresh token requires a new login, with 400 and with 422", arguments: [400, 422])
    func deadRefreshToken(status: Int) async throws {
        let bolt = try await FakeBolt()
        let provider = try bolt.provider()
        bolt.answer("/v1/oauth/token", try bolt.tokens())
        let tokens = try await bolt.signIn(provider)
        bolt.answer("/v1/oauth/token", .json(["error": .string("invalid _grant")], status: status))
        let error = await #expect(throws: IdentityError.self) { _ = try await provider.refresh(tokens) }
        #expect(error?.kind == .signInAgain)
        #expect(error?.code == .invalidGrant)
    }

    @Test("a callback of another issuer is refused before the code is sent")
    func issuerOfCallback() async throws {
        let bolt = try await FakeBolt()
        let provider = try bolt.provider()
        let attempt = try await provider.authorizationRequest(LoginOptions()).attempt
        let callback = try LoginCallback(
            url: "/callback?code=C0DE&state=\(attempt.state.reveal())&iss=https%3A%2F%2Fevil.example"
        )
        #expect(await failure { try await provider.exchange(callback, for: attempt) }?.code == .responseIssuerMismatch)
        #expect(bolt.requests(to: "/v1/oauth/token").isEmpty)
    }

    @Test(
        "an error in the format of Bolt's other APIs is shown, ends no session and leaves none in doubt",
        arguments: [
            (401, #"{"errors":[{"code":1005,"message":"Unknown key."}],"result":{"success":false}}"#, true),
            (403, #"{"status":"failure","error":{"code":"1005","message":"Unknown key."}}"#, true),
            (422, #"{"code":1005,"message":"Unknown key."}"#, true),
            (401, #"{"errors":[{"code":1015,"message":"Unauthorized."}],"result":{"success":false}}"#, false),
            (401, #"{".tag":"unauthorized","message":"Unauthorized."}"#, false),
            (400, #"{"code":"invalid_grant","message":"Not an OAuth error."}"#, false),
        ]
    )
    func otherFormats(status: Int, body: String, isWrongKey: Bool) async throws {
        let bolt = try await FakeBolt()
        let provider = try bolt.provider()
        bolt.answer("/v1/oauth/token", try bolt.tokens(), .message(status: status, body: Array(body.utf8)))
        let tokens = try await bolt.signIn(provider)
        let refusal = await #expect(throws: RefreshRefusal.self) {
            _ = try await provider.requestRefresh(of: tokens, under: .notNeeded)
        }
        #expect(refusal?.kind == (isWrongKey ? .configuration : .rejected))
        #expect(refusal?.error.code == (isWrongKey ? .invalidClient : .unexpectedResponse))
        let shown = try #require(refusal?.error.providerResponse)
        let (name, message) = (try #require(shown.error), try #require(shown.errorDescription))
        #expect(body.contains(name) && body.contains(message))
        #expect(refusal?.error.hint?.contains(isWrongKey ? "publishableKey" : "providerResponse") == true)
    }

    @Test("a refresh requests the stored scope, narrows the session's scopes and rotates the token")
    func refresh() async throws {
        let bolt = try await FakeBolt()
        let provider = try bolt.provider()
        bolt.answer("/v1/oauth/token", try bolt.tokens())
        let tokens = try await bolt.signIn(provider)
        #expect(tokens.canWrite)
        try provider.requireWrite(tokens)
        bolt.answer(
            "/v1/oauth/token",
            try bolt.tokens {
                $0["access_token"] = .string("AT2.sig")
                $0["refresh_token"] = .string("RT2.sig")
                $0["scope"] = .string("bolt.account.view")
                $0["id_token"] = nil
            }
        )
        let refreshed = try await provider.refresh(tokens)
        let sent = try #require(bolt.requests(to: "/v1/oauth/token").last)
        #expect(
            String(decoding: sent.body, as: UTF8.self)
                == "grant_type=refresh_token&client_id=aaa.bbb.ccc&client_secret=APIKEY&refresh_token=RT1.sig"
                + "&scope=bolt.account.view"
        )
        #expect(refreshed.refreshToken?.reveal() == "RT2.sig")
        #expect(refreshed.scopes == ["bolt.account.view"])
        #expect(!refreshed.canWrite)
        #expect(refreshed.buyer == tokens.buyer)
        #expect(refreshed.idToken != nil)
        let error = #expect(throws: IdentityError.self) { try provider.requireWrite(refreshed) }
        #expect(error?.code == .insufficientScope)
        #expect(error?.kind == .signInAgain)
    }

    @Test("a refresh response without scope and refresh token allows neither writing nor another refresh")
    func silentRefresh() async throws {
        let bolt = try await FakeBolt()
        let provider = try bolt.provider()
        bolt.answer("/v1/oauth/token", try bolt.tokens())
        let tokens = try await bolt.signIn(provider)
        bolt.answer(
            "/v1/oauth/token",
            try bolt.tokens {
                for name in ["scope", "refresh_token", "refresh_token_scope", "id_token"] { $0[name] = nil }
            }
        )
        let refreshed = try await provider.refresh(tokens)
        #expect(!refreshed.canWrite)
        #expect(refreshed.refreshToken == nil)
    }

    @Test("a token type in any case, a lifetime as string and scopes with any separator are accepted")
    func tolerance() async throws {
        let bolt = try await FakeBolt()
        bolt.answer(
            "/v1/oauth/token",
            try bolt.tokens {
                $0["token_type"] = .string("BEARER")
                $0["expires_in"] = .string("1800")
                $0["scope"] = .string("bolt.account.manage+openid,, bolt.account.view")
                $0["refresh_token"] = nil
            }
        )
        let tokens = try await bolt.signIn(try bolt.provider())
        #expect(tokens.scopes == ["bolt.account.manage", "openid", "bolt.account.view"])
        #expect(tokens.expiresAt == bolt.clock.now + 1800)
        #expect(tokens.refreshToken == nil)
    }

    @Test(
        "a login's token response without a usable lifetime is refused; that of a refresh gets the old lifetime",
        arguments: [nil, .integer(0), .integer(-1), .string("+60"), .bool(true)] as [JSONValue?]
    )
    func lifetime(_ value: JSONValue?) async throws {
        let bolt = try await FakeBolt()
        bolt.answer("/v1/oauth/token", try bolt.tokens { $0["expires_in"] = value })
        #expect(await failure { try await bolt.signIn(try bolt.provider()) }?.code == .tokenResponseInvalid)

        bolt.answer(
            "/v1/oauth/token",
            try bolt.tokens(),
            try bolt.tokens {
                $0["expires_in"] = value
                $0["access_token"] = .string("AT2.sig")
            }
        )
        let refreshed = try await bolt.provider().refresh(try await bolt.signIn(try bolt.provider()))
        #expect(refreshed.accessToken.reveal() == "AT2.sig")
        #expect(refreshed.expiresAt == bolt.clock.now + 3600)
    }
}
