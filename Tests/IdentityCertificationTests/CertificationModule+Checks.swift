import IdentityCrypto
import IdentityKit
import IdentityOIDC
import IdentitySandbox
import Testing

/// The checks that run inside every module.
extension CertificationModule {
    func checkEveryRequest() throws {
        for request in openID.requests { checkAccessTokenPlace(request) }
        let authorizations = openID.requests(to: .authorization)
        for request in authorizations { checkAuthorization(request) }
        for request in openID.requests(to: .token) { try checkToken(request, authorizations) }
    }

    private func checkAuthorization(_ request: SandboxRequest) {
        let scopes = request.queryValue("scope")?.split(separator: " ") ?? []
        #expect(scopes.contains("openid"))
        #expect(request.queryValue("client_id") == configuration.clientID)
        #expect(request.queryValue("redirect_uri") == Self.redirectURI)
        #expect(request.queryValue("response_type") == "code")
        #expect(request.queryValue("code_challenge_method") == "S256")
        #expect(request.queryValue("nonce")?.isEmpty == false)
        #expect(request.queryValue("state")?.isEmpty == false)
        let isContradictory = request.queryValue("max_age") == "0" && request.queryValue("prompt") == "none"
        #expect(!isContradictory)
        for name in Set(request.queryFields.map(\.name)) {
            #expect(request.queryFields.filter { $0.name == name }.count == 1, "repeated: \(name)")
        }
    }

    private func checkToken(_ request: SandboxRequest, _ authorizations: [SandboxRequest]) throws {
        #expect(request.method == "POST")
        let inQuery = request.queryFields.map(\.name)
        #expect(!request.formFields.contains { inQuery.contains($0.name) })
        checkClientAuthentication(request)
        guard request.formValue("grant_type") == "authorization_code" else { return }
        let verifier = try #require(request.formValue("code_verifier"))
        let challenge = Base64URL.encode(try Digest.sha256(Array(verifier.utf8)))
        let login = try #require(authorizations.first { $0.queryValue("code_challenge") == challenge })
        #expect(request.formValue("redirect_uri") == login.queryValue("redirect_uri"))
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

    /// Never in a query anywhere; at the resource in exactly one place, under the scheme's name in any case.
    private func checkAccessTokenPlace(_ request: SandboxRequest) {
        #expect(request.queryValue("access_token") == nil)
        guard request.endpoint == .api else { return }
        let isInHeader = request.header("authorization")?.lowercased().hasPrefix("bearer ") == true
        let isInBody = request.formValue("access_token") != nil
        #expect(isInHeader != isInBody)
        #expect(request.headers.filter { $0.name.lowercased() == "authorization" }.count <= 1)
    }
}
