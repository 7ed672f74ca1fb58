import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentityTesting
import Testing

@Suite("Error responses: message, hint and reference")
struct ErrorTableTests {
    /// Checks that an error has a message without secrets, a hint, a reference and a correlation id, and that the
    /// provider's text is separate.
    private func expectComplete(_ error: IdentityError, _ canary: SecretCanary, _ context: String) {
        #expect(error.message.hasSuffix("."), "\(context)")
        #expect(error.hint?.hasSuffix(".") == true, "\(context)")
        #expect(error.reference?.contains("section") == true, "\(context)")
        #expect(error.correlationID.utf8.count == 16, "\(context)")
        for text in [error.message, error.hint ?? "", error.reference ?? "", error.description] {
            #expect(canary.findings(inText: text) == [], "\(context)")
        }
        #expect(canary.findings(inText: error.providerResponse?.errorDescription ?? "").count == 1, "\(context)")
    }

    static let callbacks: [(error: String, kind: IdentityError.Kind, code: IdentityError.Code)] = [
        ("access_denied", .rejected, .accessDenied), ("user_cancelled_authorize", .rejected, .accessDenied),
        ("login_required", .signInAgain, .loginRequired),
        ("interaction_required", .signInAgain, .loginRequired), ("consent_required", .signInAgain, .loginRequired),
        ("account_selection_required", .signInAgain, .loginRequired),
        ("temporarily_unavailable", .retryLater, .providerUnavailable),
        ("server_error", .retryLater, .providerUnavailable), ("invalid_scope", .configuration, .invalidScope),
        ("unauthorized_client", .configuration, .unauthorizedClient), ("", .rejected, .callbackInvalid),
        ("invalid_request", .rejected, .authorizationRefused),
        ("unsupported_response_type", .rejected, .authorizationRefused),
        ("Access_Denied", .rejected, .authorizationRefused),
    ]

    @Test("every error of an authorization response has its kind and code", arguments: 0..<14)
    func callback(row: Int) throws {
        let (name, kind, code) = Self.callbacks[row]
        let canary = SecretCanary()
        let said = canary.plant("said")
        let callback = try LoginCallback(form: Array("state=s&error=\(name)&error_description=\(said)".utf8))
        let error = try #require(throws: IdentityError.self) {
            try AuthorizationResponse.code(
                in: callback,
                for: LoginAttempt(state: "s"),
                accepting: .exactly([]),
                requiresIssuer: false
            )
        }
        #expect(error.kind == kind)
        #expect(error.code == code)
        #expect(error.providerResponse?.error == name)
        expectComplete(error, canary, name)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let error: String
        let status: Int
        /// The kind and code at a code exchange, at a refresh and during a device login.
        let outcomes: [(IdentityError.Kind, IdentityError.Code)]
        var testDescription: String { "\(status) \(error)" }

        init(_ status: Int, _ error: String, _ outcomes: (IdentityError.Kind, IdentityError.Code)...) {
            self.status = status
            self.error = error
            self.outcomes = outcomes.count == 1 ? Array(repeating: outcomes[0], count: 3) : outcomes
        }
    }

    static let answers: [Row] = [
        Row(
            400,
            "invalid_grant",
            (.rejected, .invalidGrant),
            (.signInAgain, .invalidGrant),
            (.rejected, .invalidGrant)
        ),
        Row(
            400,
            "invalid_request",
            (.rejected, .invalidRequest),
            (.retryLater, .invalidRequest),
            (.rejected, .invalidRequest)
        ),
        Row(401, "invalid_client", (.configuration, .invalidClient)),
        Row(400, "unauthorized_client", (.configuration, .unauthorizedClient)),
        Row(400, "unsupported_grant_type", (.configuration, .unsupportedGrantType)),
        Row(400, "invalid_scope", (.configuration, .invalidScope)),
        Row(400, "invalid_dpop_proof", (.configuration, .dpopProofRefused)),
        Row(400, "use_dpop_nonce", (.retryLater, .dpopProofRefused)),
        Row(400, "temporarily_unavailable", (.retryLater, .providerUnavailable)),
        Row(400, "server_error", (.retryLater, .providerUnavailable)),
        Row(400, "something_else", (.rejected, .unexpectedResponse)),
        Row(401, "", (.retryLater, .unexpectedResponse)), Row(400, "", (.rejected, .unexpectedResponse)),
        Row(302, "invalid_grant", (.rejected, .redirectRefused)),
        Row(429, "invalid_grant", (.retryLater, .providerUnavailable)),
        Row(500, "invalid_grant", (.retryLater, .providerUnavailable)),
    ]

    @Test("a status such as 202 without an error is an unexpected response, and not a rejection by the provider")
    func unexpectedStatus() {
        for (status, error, start) in [
            (202, nil, "The token endpoint returned an unexpected response (HTTP 202)"),
            (202, "x", "The provider rejected"), (400, nil, "The provider rejected"),
        ] as [(Int, String?, String)] {
            var response = TokenErrorResponse(grant: .authorizationCode, status: status, error: error)
            response.isJSON = true
            let made = response.standardError
            #expect(made.message.hasPrefix(start) && made.kind == .rejected, "\(made.message)")
        }
    }

    @Test("every error of a token response has its kind and code, for each grant", arguments: answers)
    func answer(row: Row) throws {
        let grants: [TokenGrant] = [.authorizationCode, .refreshToken, .deviceCode]
        for (grant, outcome) in zip(grants, row.outcomes) {
            let canary = SecretCanary()
            let object: JSONObject = [
                "error": .string(row.error), "error_description": .string(canary.plant("said")),
                "error_uri": .string("https://id.example/errors"),
            ]
            let response = HTTPResponse(status: row.status, body: JSONValue.object(object).serialized)
            guard case .failure(let failure) = try TokenEndpointResponse(response, to: grant) else {
                Issue.record("The response was accepted.")
                continue
            }
            let error = failure.standardError
            #expect(error.kind == outcome.0, "\(grant)")
            #expect(error.code == outcome.1, "\(grant)")
            #expect(error.providerResponse?.status == row.status)
            #expect(error.providerResponse?.errorURI == "https://id.example/errors")
            expectComplete(error, canary, "\(grant)")
        }
    }
}
