internal import IdentityKit
internal import Synchronization

extension SandboxOpenID {
    func userinfo(_ call: SandboxCall) -> SandboxResponse {
        journal.count(\.apiCalls)
        func invalidToken(_ description: String) -> OAuthRefusal { OAuthRefusal("invalid_token", description) }
        do throws(OAuthRefusal) {
            let (scheme, token) = try presentedToken(call.request)
            guard let found = grant(ofAccessToken: token) else {
                throw OAuthRefusal("invalid_token", "The token is unknown, expired or revoked.", isViolation: false)
            }
            switch (scheme, found.token.keyThumbprint) {
            case (.bearer, nil): break
            case (.bearer, _?):
                throw invalidToken("The token is bound to a key and must be sent with DPoP, not as Bearer.")
            case (.dpop, nil):
                throw invalidToken("The token is not bound to a key and must be sent as Bearer.")
            case (.dpop, let key?):
                let proven = try provenKey(call.request, isRequired: true, accessToken: token)
                guard proven?.isIdentical(to: key) ?? false else {
                    throw invalidToken("The token is not bound to the key of the DPoP proof.")
                }
            }
            return userInfo(of: found.grant, scopes: found.token.scopes).with("Cache-Control", "no-store")
        } catch {
            note(error, call)
            return challenge(error)
        }
    }

    private func userInfo(of grant: Grant, scopes: [String]) -> SandboxResponse {
        var claims = claims(of: grant.buyer, scopes: scopes)
        guard let algorithm = configuration.client(id: grant.clientID)?.userInfoAlgorithm else { return .json(claims) }
        claims["iss"] = .string(issuer)
        claims["aud"] = .string(grant.clientID)
        let token = tokens.state.withLock { $0.keyring.mint(claims, algorithm.signature) }
        return SandboxResponse(status: 200, headers: [("Content-Type", "application/jwt")], body: Array(token.utf8))
    }

    private enum Scheme { case bearer, dpop }

    /// Returns the access token of the Authorization header; a token in the query or form is refused (RFC 6750 section 2).
    private func presentedToken(_ request: SandboxRequest) throws(OAuthRefusal) -> (Scheme, token: String) {
        guard request.queryValue("access_token") == nil, request.formValue("access_token") == nil else {
            throw .invalidRequest("The access token must be in the Authorization header only.")
        }
        let headers = request.headers.filter { $0.name.lowercased() == "authorization" }
        guard headers.count <= 1 else {
            throw .invalidRequest("The Authorization header occurs more than once.")
        }
        let parts = headers.first?.value.split(separator: " ", maxSplits: 1).map(String.init) ?? []
        switch (parts.first?.lowercased(), parts.count) {
        case ("bearer", 2): return (.bearer, parts[1])
        case ("dpop", 2) where configuration.dpop != .off: return (.dpop, parts[1])
        default: throw OAuthRefusal("", "The Authorization header has no access token with a supported scheme.")
        }
    }

    /// Creates the error response with `WWW-Authenticate` challenges (RFC 6750 section 3, RFC 9449 section 7.1).
    private func challenge(_ refusal: OAuthRefusal) -> SandboxResponse {
        var members: [String] = []
        if !refusal.error.isEmpty {
            members = ["error=\"\(refusal.error)\"", "error_description=\"\(refusal.description)\""]
        }
        func challenge(_ scheme: String, _ members: [String]) -> (name: String, value: String) {
            let text = members.isEmpty ? scheme : scheme + " " + members.joined(separator: ", ")
            return (name: "WWW-Authenticate", value: text)
        }
        var headers = refusal.headers + [("Cache-Control", "no-store")]
        if configuration.dpop != .off {
            let algorithms = configuration.clientSigningAlgorithms.joined(separator: " ")
            headers.append(challenge("DPoP", members + ["algs=\"\(algorithms)\""]))
        }
        // The response has no Bearer challenge if the provider requires DPoP, or has refused the request's DPoP proof.
        if configuration.dpop != .required, !refusal.error.contains("dpop") {
            headers.append(challenge("Bearer", members))
        }
        return SandboxResponse(status: refusal.error == "invalid_request" ? 400 : 401, headers: headers)
    }
}
