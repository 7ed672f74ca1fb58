import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentitySandbox
import Testing

/// The checks that run inside every module.
extension CertificationModule {
    func checkEveryRequest() throws {
        for request in openID.requests { checkAccessTokenPlace(request) }
        let pushed = openID.requests(to: .pushedRequest)
        let visits = openID.requests(to: .authorization)
        // Pushed parameters are not sent through the browser again (RFC 9126 section 4).
        for request in visits where request.queryValue("request_uri") != nil {
            #expect(Set(request.queryFields.map(\.name)) == ["client_id", "request_uri"])
            #expect(request.queryValue("client_id") == configuration.clientID)
        }
        for request in pushed { checkClientAuthentication(request) }
        let asked = visits.filter { $0.queryValue("request_uri") == nil }.map(\.queryFields) + pushed.map(\.formFields)
        for fields in asked { checkAuthorization(fields) }
        for request in openID.requests(to: .token) { try checkToken(request, asked) }
    }

    private func checkAuthorization(_ fields: [SandboxRequest.Field]) {
        func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
        #expect(value("scope")?.split(separator: " ").contains("openid") == true)
        #expect(value("client_id") == configuration.clientID)
        #expect(value("redirect_uri") == Self.redirectURI)
        #expect(value("response_type") == "code")
        #expect(value("code_challenge_method") == "S256")
        #expect(value("nonce")?.isEmpty == false)
        #expect(value("state")?.isEmpty == false)
        let isContradictory = value("max_age") == "0" && value("prompt") == "none"
        #expect(!isContradictory || asksSilentlyForFreshLogin)
        for name in Set(fields.map(\.name)) {
            #expect(fields.filter { $0.name == name }.count == 1, "repeated: \(name)")
        }
    }

    private func checkToken(_ request: SandboxRequest, _ asked: [[SandboxRequest.Field]]) throws {
        #expect(request.method == "POST")
        let inQuery = request.queryFields.map(\.name)
        #expect(!request.formFields.contains { inQuery.contains($0.name) })
        checkClientAuthentication(request)
        guard request.formValue("grant_type") == "authorization_code" else { return }
        let verifier = try #require(request.formValue("code_verifier"))
        let challenge = Base64URL.encode(try Digest.sha256(Array(verifier.utf8)))
        let login = try #require(asked.first { $0.contains { $0 == ("code_challenge", challenge) } })
        #expect(login.contains { $0 == ("redirect_uri", request.formValue("redirect_uri") ?? "") })
    }

    private func checkClientAuthentication(_ request: SandboxRequest) {
        let header = request.header("authorization")
        let field = request.formValue("client_secret")
        switch configuration.authentication {
        case .secretBasic(let secret, _):
            let pair = FormEncoding.escape(configuration.clientID) + ":" + FormEncoding.escape(secret.reveal())
            #expect(header == "Basic " + Base64.encode(Array(pair.utf8)))
            #expect(field == nil)
        case .secretPost(let secret):
            #expect(header == nil)
            #expect(field == secret.reveal())
        default:
            #expect(header == nil)
            #expect(field == nil)
        }
    }

    /// Checks that no access token is in a query.
    ///
    /// At the resource server it must be in exactly one place, and the name of its scheme may be in any case.
    private func checkAccessTokenPlace(_ request: SandboxRequest) {
        #expect(request.queryValue("access_token") == nil)
        guard request.endpoint == .api else { return }
        let scheme = request.header("authorization")?.prefix { $0 != " " }.lowercased()
        let isInHeader = scheme == (configuration.usesDPoP ? "dpop" : "bearer")
        let isInBody = request.formValue("access_token") != nil
        #expect(isInHeader != isInBody)
        #expect(request.headers.filter { $0.name.lowercased() == "authorization" }.count <= 1)
    }
}
