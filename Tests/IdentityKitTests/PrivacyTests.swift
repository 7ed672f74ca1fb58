import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Testing

@Suite("Redacted descriptions")
struct PrivacyTests {
    @Test("descriptions, dumps and mirrors show no secrets and no personal data")
    func values() throws {
        let canary = SecretCanary()
        var address = PostalAddress()
        address.line1 = canary.plant("street")
        address.phone = canary.plant("phone")
        let buyer = Buyer(
            issuer: "https://id.example",
            subject: canary.plant("subject"),
            email: Buyer.Contact(canary.plant("email"), isVerified: true),
            givenName: canary.plant("name"),
            addresses: [address]
        )
        var tokens = TokenSet(buyer: buyer, accessToken: Secret(canary.plant("access")), issuedAt: Date())
        tokens.refreshToken = Secret(canary.plant("refresh"))
        tokens.idToken = Secret(canary.plant("id"))
        tokens.nonce = Secret(canary.plant("nonce"))
        tokens.providerSessionID = canary.plant("sid")
        let id = try #require(SessionID(rawValue: "AAAAAAAAAAAAAAAAAAAAAA"))
        canary.watch(Secret(id.rawValue))
        let stored = StoredSession(
            id: id,
            provider: "p",
            tenant: "t",
            issuer: "i",
            subject: canary.plant("stored"),
            createdAt: Date(),
            retainedUntil: Date(),
            payload: RecordWriter.record(tokens.write(to:))
        )
        let state = canary.plant("state")
        let attempt = LoginAttempt(
            provider: "p",
            state: Secret(state),
            codeVerifier: Secret(canary.plant("verifier")),
            createdAt: Date(),
            expiresAt: Date()
        )
        var options = LoginOptions()
        options.loginHint = canary.plant("hint")
        options.additionalParameters = [("a", canary.plant("parameter"))]
        let code = canary.plant("code")
        let values: [Any] = [
            tokens, buyer, stored, id, attempt, options,
            AuthorizationRequest(url: try HTTPURL("https://id.example/?state=\(state)"), attempt: attempt),
            try LoginCallback(url: "/cb?code=\(code)&\(code)=1"),
            SessionFilter(buyer: ("i", canary.plant("filter"))),
            RemovedSession(session: stored, attachments: ["cart": Secret(canary.plant("cart"))]),
            CartClaim.customer(CustomerAccessToken(issuedByShopify: Secret(code), expiresAt: nil, issuer: "i")),
            CartClaim.contact(BuyerContact(email: canary.plant("contact"), addresses: [address])),
            SessionAttachment(payload: Secret(code), revision: 1),
        ]
        for value in values {
            #expect(canary.findings(in: value) == [], "\(type(of: value))")
            #expect(canary.findings(in: [value] as [Any]) == [], "\(type(of: value)) in a list")
        }
    }

    @Test("the printed forms of a configuration contain no values of environment variables")
    func configuration() throws {
        let canary = SecretCanary()
        let configuration = try IdentityConfiguration(
            json: Array(#"{"providers":{"a":{"kind":"x"}},"store":{"path":"s"}}"#.utf8),
            environmentVariables: ["SECRET": canary.plant("environment")]
        )
        #expect(canary.findings(in: configuration) == [])
        #expect(canary.findings(in: configuration.store as Any) == [])
    }

    @Test("a provider's text is cut even if it is a single very long character")
    func providerResponse() {
        let text = "e" + String(repeating: "\u{301}", count: 100_000)
        #expect(text.count == 1)
        let answer = IdentityError.ProviderResponse(error: text, errorDescription: text, errorURI: text, traceID: text)
        for part in [answer.error, answer.errorDescription, answer.errorURI, answer.traceID] {
            #expect((part ?? "").utf8.count <= 2000)
        }
    }
}
