import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentityTesting
import Testing

@Suite("Callbacks and token responses")
struct ResponseTests {
    private func refusal(
        _ query: String,
        issuer: String? = "https://id.example",
        requiresIssuer: Bool = false
    ) -> IdentityError? {
        do {
            var settings = OpenIDQuirkSettings()
            settings.errorsInCode = ["login_required"]
            _ = try AuthorizationResponse.code(
                in: try LoginCallback(url: "https://app.example/callback?" + query),
                for: LoginAttempt(state: "state-1", issuer: issuer),
                accepting: .exactly(["https://id.example"]),
                requiresIssuer: requiresIssuer,
                settings: settings
            )
            return nil
        } catch {
            return error
        }
    }

    @Test("a valid callback returns its code, with any further parameters")
    func good() throws {
        let callback = try LoginCallback(
            url: "/callback?x=1&code=c%2B%2F%3D1&state=state-1&iss=https%3A%2F%2Fid.example"
        )
        let code = try AuthorizationResponse.code(
            in: callback,
            for: LoginAttempt(state: "state-1", issuer: "https://id.example"),
            accepting: .exactly([]),
            requiresIssuer: true
        )
        #expect(code.reveal() == "c+/=1")
    }

    @Test(
        "an invalid callback or an error response is refused with the expected error code",
        arguments: [
            ("code=c", "state_invalid"), ("code=c&state=", "state_invalid"), ("code=c&state=state-2", "state_invalid"),
            ("code=c&state=state-1&state=state-1", "callback_invalid"), ("state=state-1", "callback_invalid"),
            ("code=&state=state-1", "callback_invalid"), ("code=c&code=c&state=state-1", "callback_invalid"),
            ("code=c&st%61te=state-1&state=state-1", "callback_invalid"),
            ("code=%zz&state=state-1", "callback_invalid"),
            ("code=%00&state=state-1", "callback_invalid"), ("code=%ff&state=state-1", "callback_invalid"),
            ("code=c&state=state-1&iss=https%3A%2F%2Fevil.example", "response_issuer_mismatch"),
            ("error=access_denied&state=state-1&iss=https%3A%2F%2Fevil.example", "response_issuer_mismatch"),
            ("error=access_denied&state=state-1", "access_denied"), ("error=&state=state-1", "callback_invalid"),
            ("error=login_required&state=state-1", "login_required"),
            ("code=login_required&state=state-1", "login_required"),
            ("error=server_error&state=state-1", "provider_unavailable"),
            ("error=whatever&code=c&state=state-1", "authorization_refused"),
        ]
    )
    func refused(query: String, code: String) {
        #expect(refusal(query)?.code.rawValue == code)
    }

    @Test("a provider that promised iss must send it (RFC 9207)")
    func missingIssuer() {
        #expect(refusal("code=c&state=state-1") == nil)
        let error = refusal("code=c&state=state-1", requiresIssuer: true)
        #expect(error?.code == .responseIssuerMismatch)
        #expect(error?.message == "The callback has no iss parameter, although the provider's metadata promise it.")
        #expect(error?.providerResponse == nil)
        #expect(error?.isAttackSuspected == false)
    }

    @Test("a callback with another state or issuer is reported as a suspected attack, a refusal by the buyer is not")
    func suspicion() {
        let evil = "&iss=https%3A%2F%2Fevil.example"
        for query in [
            "code=c", "code=c&state=state-2", "code=c&state=state-1\(evil)", "error=access_denied&state=state-1\(evil)",
        ] {
            #expect(refusal(query)?.isAttackSuspected == true, "\(query)")
        }
        for query in ["error=access_denied&state=state-1", "state=state-1"] {
            #expect(refusal(query)?.isAttackSuspected == false, "\(query)")
        }
        #expect(refusal("error=access_denied&state=state-1", requiresIssuer: true)?.isAttackSuspected == false)
    }

    @Test("an error callback without the promised iss is refused, and its values are reported as unverified")
    func missingIssuerOfError() {
        let denied = refusal(
            "error=access_denied&error_description=state-1+cancelled&error_uri=u&state=state-1",
            requiresIssuer: true
        )
        #expect(denied?.code == .responseIssuerMismatch)
        #expect(denied?.message.contains("another issuer") == false)
        #expect(denied?.hint?.contains("the buyer cancelled") == true)
        #expect(denied?.hint?.contains("mix-up") == false)
        #expect(denied?.providerResponse?.error == "access_denied")
        #expect(denied?.providerResponse?.errorURI == "u")
        // Sent values are redacted, as in every error.
        #expect(denied?.providerResponse?.errorDescription?.contains("cancelled") == true)
        #expect(denied?.providerResponse?.errorDescription?.contains("state-1") == false)
        let other = refusal("error=invalid_scope&state=state-1", requiresIssuer: true)
        #expect(other?.code == .responseIssuerMismatch)
        #expect(other?.providerResponse?.error == "invalid_scope")
        #expect(other?.hint?.contains("cancelled") == false)
        // A response of another issuer may be an attack, so its text is not passed on.
        let foreign = refusal("error=access_denied&state=state-1&iss=https%3A%2F%2Fevil.example", requiresIssuer: true)
        #expect(foreign?.message.contains("another issuer") == true)
        #expect(foreign?.providerResponse == nil)
    }

    @Test("an iss in the callback must be an accepted issuer; two codes, or a huge one, are refused")
    func alternatives() throws {
        func refusal(_ query: String) -> IdentityError.Code? {
            do {
                var settings = OpenIDQuirkSettings()
                settings.codeParameters = ["code", "authorization_code"]
                _ = try AuthorizationResponse.code(
                    in: try LoginCallback(form: Array(query.utf8)),
                    for: LoginAttempt(state: "s"),
                    accepting: .exactly(["https://id.example"]),
                    requiresIssuer: false,
                    settings: settings
                )
                return nil
            } catch {
                return error.code
            }
        }
        #expect(refusal("state=s&authorization_code=c&iss=https://id.example") == nil)
        #expect(refusal("state=s&code=c&iss=https://evil.example") == .responseIssuerMismatch)
        #expect(refusal("state=s&code=c&authorization_code=c") == .callbackInvalid)
        #expect(refusal("state=s&code=" + String(repeating: "c", count: 8192)) == nil)
        #expect(refusal("state=s&code=" + String(repeating: "c", count: 8193)) == .callbackInvalid)
    }

    @Test("a plus in a callback's parameter is a space, the parameters end at the fragment, and a NUL is refused")
    func forms() throws {
        let callback = try LoginCallback(url: "/cb?a=b+c%2B#?state=x")
        #expect(try callback.value(of: "a")?.reveal() == "b c+")
        #expect(try callback.value(of: "state") == nil)
        #expect(throws: IdentityError.self) { try LoginCallback(url: "/cb#?code=c&state=s") }
        #expect(throws: IdentityError.self) { try LoginCallback(form: Array("a=\u{0}".utf8)) }
    }

    @Test(
        "Retry-After is read in seconds, up to an hour",
        arguments: [("5", 5), ("0", 0), ("99999", 3600), ("9223372036854775807", 3600), ("-1", nil), ("soon", nil)]
            as [(String, Int?)]
    )
    func retryAfter(value: String, seconds: Int?) throws {
        var headers = HTTPHeaders()
        try headers.set("Retry-After", value)
        let response = HTTPResponse(status: 429, headers: headers)
        guard case .failure(let failure) = try TokenEndpointResponse(response, to: .refreshToken) else {
            return #expect(Bool(false))
        }
        #expect(failure.standardError.retryAfter == seconds.map { .seconds($0) })
    }

    @Test(
        "the same token error can have another kind for a refresh than for a code exchange"
    )
    func exchangeErrors() {
        #expect(answer(400, #"{"error":"invalid_grant"}"#, .authorizationCode)?.kind == .rejected)
        #expect(answer(400, #"{"error":"invalid_request"}"#, .authorizationCode)?.kind == .rejected)
        #expect(answer(400, #"{"error":"invalid_request"}"#, .refreshToken)?.kind == .retryLater)
    }

    @Test("a combining character after a separator does not join two parameters of a callback")
    func bytes() throws {
        let callback = try LoginCallback(url: "/cb?a=1&\u{301}state=x&state=y")
        #expect(try callback.value(of: "state")?.reveal() == "y")
        #expect(try callback.value(of: "a")?.reveal() == "1")
    }

    @Test("a callback too large or without a query is refused")
    func bounds() {
        #expect(throws: IdentityError.self) { try LoginCallback(url: "https://app.example/callback") }
        #expect(throws: IdentityError.self) { try LoginCallback(url: "/cb?a=" + String(repeating: "x", count: 20_000)) }
        #expect(throws: IdentityError.self) { try LoginCallback(url: "/cb?" + String(repeating: "a=1&", count: 65)) }
    }

    private func answer(_ status: Int, _ body: String, _ grant: TokenGrant = .refreshToken) -> IdentityError? {
        do {
            switch try TokenEndpointResponse(HTTPResponse(status: status, body: Array(body.utf8)), to: grant) {
            case .success(let object): _ = try TokenResponse(object)
            case .failure(let failure): return failure.standardError
            }
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "only the exact name invalid_grant ends a session",
        arguments: [
            (400, #"{"error":"invalid_grant"}"#, "sign_in_again"), (400, #"{"error":"invalid_grant "}"#, "rejected"),
            (400, #"{"error":"x","error_description":"invalid_grant"}"#, "rejected"),
            (500, #"{"error":"invalid_grant"}"#, "retry_later"), (429, "", "retry_later"),
            (429, #"{"error":"invalid_grant"}"#, "retry_later"),
            (400, #"{"access_token":"a","token_type":"Bearer"}"#, "rejected"),
            (503, "<html>", "retry_later"),
            (401, #"{"error":""}"#, "retry_later"), (401, #"{"error":"invalid_client"}"#, "configuration"),
            (400, #"{"error":"unauthorized_client"}"#, "configuration"),
            (400, #"{"error":"unsupported_grant_type"}"#, "configuration"),
            (400, #"{"error":"invalid_request"}"#, "retry_later"), (200, "<html>invalid_grant</html>", "retry_later"),
            (302, "", "rejected"), (200, #"{"error":"invalid_grant"}"#, "sign_in_again"),
        ]
    )
    func classification(status: Int, body: String, kind: String) {
        #expect(answer(status, body)?.kind.rawValue == kind)
    }

    @Test(
        "a token response with a missing or invalid member is refused",
        arguments: [
            #"{"token_type":"Bearer"}"#, #"{"access_token":"","token_type":"Bearer"}"#,
            #"{"access_token":1,"token_type":"Bearer"}"#, #"{"access_token":"a"}"#,
            #"{"access_token":"a","token_type":"MAC"}"#, #"{"access_token":"a","token_type":"Bearer","expires_in":-1}"#,
            #"{"access_token":"a","token_type":"Bearer","expires_in":0}"#,
            #"{"access_token":"a","token_type":"Bearer","expires_in":"3600s"}"#,
            #"{"access_token":"a","token_type":"Bearer","expires_in":1e300}"#,
            #"{"access_token":"a","token_type":"Bearer","expires_in":true}"#,
            #"{"access_token":"a\u0000","token_type":"Bearer"}"#,
            #"{"access_token":"\#(String(repeating: "a", count: 65_537))","token_type":"Bearer"}"#,
            #"{"access_token":"a","token_type":"Bearer","expires_in":316224001}"#,
            #"{"access_token":"a","access_token":"b","token_type":"Bearer"}"#,
            #"{"access_token":"a","token_type":"Bearer","scope":["openid"]}"#, #"{"access_token":"a""#,
        ]
    )
    func invalidResponse(body: String) {
        #expect(answer(200, body)?.code == .tokenResponseInvalid)
    }

    @Test("a list of scopes that is too long is refused, and no response prints its tokens")
    func boundsAndRedaction() throws {
        let scopes = String(repeating: "a ", count: 10_000)
        #expect(
            answer(200, #"{"access_token":"a","token_type":"Bearer","scope":"\#(scopes)"}"#)?.code
                == .tokenResponseInvalid
        )
        let canary = SecretCanary()
        let body = #"{"access_token":"\#(canary.plant("access"))","token_type":"Bearer"}"#
        let parsed = try TokenEndpointResponse(HTTPResponse(status: 200, body: Array(body.utf8)), to: .refreshToken)
        #expect(canary.findings(in: parsed) == [])
        guard case .success(let object) = parsed else { return #expect(Bool(false)) }
        #expect(canary.findings(in: try TokenResponse(object)) == [])
    }

    @Test("a lifetime is required only if the settings say so, and may always be a string of digits")
    func lifetimeRules() throws {
        var settings = OpenIDQuirkSettings()
        settings.requiresLifetime = true
        #expect(throws: IdentityError.self) {
            try TokenResponse(["access_token": .string("a"), "token_type": .string("Bearer")], settings: settings)
        }
        let object: JSONObject = [
            "access_token": .string("a"), "token_type": .string("Bearer"), "expires_in": .string("60"),
        ]
        #expect(try TokenResponse(object, settings: settings).lifetime == 60)
    }

    @Test("a token type in any case, no expires_in and an empty scope are accepted")
    func lenient() throws {
        let body = #"{"access_token":"a","token_type":"bEARER","scope":""}"#
        guard
            case .success(let object) = try TokenEndpointResponse(
                HTTPResponse(status: 200, body: Array(body.utf8)),
                to: .refreshToken
            )
        else { return #expect(Bool(false)) }
        let response = try TokenResponse(object)
        #expect(response.lifetime == nil)
        #expect(response.scopes == [])
    }

    @Test(
        "a token may have any character except ASCII control characters",
        arguments: [
            ("\"a\\b\"", true), ("é", true), (String(repeating: "x", count: 40) + "\"", true), ("", false),
            ("a\u{7F}", false), ("\\\u{0}", false), (String(repeating: "x", count: 40) + "\n", false),
            ("\"\u{1F}x", false),
        ]
    )
    func tokenCharacters(_ token: String, isAccepted: Bool) {
        let response = try? TokenResponse(["access_token": .string(token), "token_type": .string("Bearer")])
        #expect(response?.accessToken.reveal() == (isAccepted ? token : nil))
    }

    @Test("scopes are separated by one or more spaces or additional separators")
    func scopeSeparators() {
        #expect(TokenResponse.scopes("  openid  a:b é ") == ["openid", "a:b", "é"])
        #expect(TokenResponse.scopes("openid+a,,b c", separators: Array("+,".utf8)) == ["openid", "a", "b", "c"])
        #expect(TokenResponse.scopes("") == [])
    }
}

extension LoginAttempt {
    /// An attempt with the members that the check of an authorization response reads.
    init(state: String, issuer: String? = nil) {
        let start = Date(timeIntervalSince1970: 0)
        self.init(provider: "id", state: Secret(state), issuer: issuer, createdAt: start, expiresAt: start)
    }
}
