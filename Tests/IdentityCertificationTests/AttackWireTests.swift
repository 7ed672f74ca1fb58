import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentitySandbox
import Testing

@Suite("Attacks: redirects, sizes and characters of HTTP messages")
struct AttackWireTests {
    @Test(
        "no redirect of an endpoint is followed, so no credential reaches another server",
        arguments: [301, 302, 303, 307, 308]
    )
    func redirects(status: Int) async throws {
        let listener = try await SandboxListener.start()
        for endpoint in [SandboxEndpoint.discovery, .jwks, .token, .api] {
            for path in ["/next", "/.well-known/openid-configuration"] {
                try await CertificationModule.run { module in
                    if endpoint == .discovery || endpoint == .jwks { module.openID.removeAllFaults() }
                    module.openID.planFault(.redirect(to: listener.origin + path, status: status), on: endpoint)
                    let error = await #expect(throws: IdentityError.self) { try await module.loginAndUserInfo() }
                    #expect([.redirectRefused, .discoveryFailed, .unexpectedResponse].contains(error?.code))
                }
            }
        }
        #expect(listener.requests.isEmpty)
        await listener.stop()
    }

    static let unreadable: [SandboxFault] = [
        .largeBody(16 << 20), .gzipBomb(), .headerBomb(), .rawBytes(Array("SSH-2.0-x\r\n".utf8)), .rawBytes([]),
        .answer(SandboxResponse(status: 200, headers: [("Content-Type", "application/json")], body: [0xFF])),
    ]

    @Test(
        "responses that are too large or not HTTP are refused, and the code is sent at most once",
        arguments: unreadable.indices
    )
    func tooMuch(index: Int) async throws {
        let fault = Self.unreadable[index]
        for endpoint in [SandboxEndpoint.discovery, .jwks, .token, .api] {
            try await CertificationModule.run { module in
                if endpoint == .discovery || endpoint == .jwks { module.openID.removeAllFaults() }
                module.openID.planFault(fault, on: endpoint, times: 3)
                let error = await #expect(throws: IdentityError.self) { try await module.loginAndUserInfo() }
                let known: [IdentityError.Code] = [.unexpectedResponse, .providerUnavailable, .discoveryFailed]
                #expect(error.map { known.contains($0.code) } == true)
                let sessions = try await module.sessions.sessions()
                #expect(sessions.isEmpty == (endpoint != .api))
                // The code is sent once, for any response.
                #expect(module.openID.requests(to: .token).count <= 1)
            }
        }
    }

    @Test(
        "special characters in client id, secret and scope are sent encoded and add no parameter",
        arguments: [
            "x\r\nX-Injected: 1", "x&client_id=y&grant_type=password", "x+y %41%00é", "x=y;z#f?q", "\u{202E}x\u{1F600}",
        ]
    )
    func injection(text: String) async throws {
        var openID = SandboxOpenIDConfiguration()
        openID.clientID = text
        openID.clientSecret = text
        for isPost in [false, true] {
            let setup = CertificationModule.Setup(
                openID: openID,
                client: { if isPost { $0.authentication = .secretPost(Secret(text)) } }
            )
            try await CertificationModule.run(setup) { module in
                var options = LoginOptions()
                options.scopes = ["openid", "profile", text]
                options.loginHint = text
                try await module.loginAndUserInfo(options)
                let authorization = try #require(module.openID.requests(to: .authorization).first)
                #expect(authorization.queryValue("client_id") == text)
                #expect(authorization.queryValue("scope") == "openid profile " + text)
                #expect(authorization.queryValue("login_hint") == text)
                let token = try #require(module.openID.requests(to: .token).first)
                #expect(token.formFields.filter { $0.name == "grant_type" }.map(\.value) == ["authorization_code"])
                #expect(token.formFields.filter { $0.name == "client_id" }.map(\.value) == (isPost ? [text] : []))
                #expect(module.openID.requests.allSatisfy { $0.header("X-Injected") == nil })
            }
        }
    }

    @Test(
        "special characters in the code of a callback add no parameter to the token request",
        arguments: ["x%26grant_type%3Drefresh_token", "x%0D%0AX%3A+1", "%2B%25%00"]
    )
    func callbackInjection(code: String) async throws {
        try await CertificationModule.run { module in
            let error = await #expect(throws: IdentityError.self) {
                try await module.login { $0.removingField("code") + "&code=" + code }
            }
            #expect(error.map { [.invalidGrant, .invalidRequest, .callbackInvalid].contains($0.code) } == true)
            for request in module.openID.requests(to: .token) {
                #expect(request.bodyText.split(separator: "&").filter { $0.hasPrefix("grant_type=") }.count == 1)
                #expect(!request.body.contains { $0 <= 0x20 || $0 >= 0x7F })
            }
        }
    }

    @Test("a provider that does not offer S256 is refused, and PKCE is never plain or omitted")
    func downgrade() async throws {
        func metadata(_ methods: JSONValue?) -> CertificationModule.Setup {
            .init(metadata: .editJSON { $0["code_challenge_methods_supported"] = methods })
        }
        for methods in [["plain"], [], ["s256"], ["S256 "]] {
            try await CertificationModule.run(metadata(.array(methods.map { .string($0) }))) { module in
                try await module.refusesLogin(.unsupportedByProvider, tokenRequests: 0)
                #expect(module.openID.requests(to: .authorization).isEmpty)
            }
        }
        // A provider without this metadata member also gets the challenge and the verifier; run(_:_:) checks both.
        try await CertificationModule.run(metadata(nil)) { try await $0.acceptsLogin() }
    }
}
