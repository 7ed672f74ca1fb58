internal import IdentityCrypto
internal import IdentityKit

/// What an authorization request must look like (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2.1), pushed or not.
struct OpenIDAuthorizationRules: Sendable {
    let configuration: SandboxOpenIDConfiguration
    /// The redirect URIs that the client may use.
    let redirectURIs: [String]

    private static let prompts = ["none", "login", "consent", "select_account"]
    private static let unsupported = [
        (parameter: "request", error: "request_not_supported"), ("request_uri", "request_uri_not_supported"),
        ("registration", "registration_not_supported"),
    ]

    /// The redirect URI; as long as it is in doubt, nothing may be sent there.
    func redirectURI(of query: AuthorizationQuery) throws(OAuthRefusal) -> String {
        guard query["client_id"].map({ $0.isIdentical(to: configuration.clientID) }) ?? false else {
            throw OAuthRefusal("invalid_request", "client_id is missing or unknown.")
        }
        guard let redirectURI = query["redirect_uri"] else {
            throw OAuthRefusal("invalid_request", "redirect_uri is missing.")
        }
        guard RedirectRule.permits(redirectURI, registered: redirectURIs) else {
            throw OAuthRefusal("invalid_request", "redirect_uri is not registered.")
        }
        return redirectURI
    }

    /// Everything else.
    func check(_ query: AuthorizationQuery) throws(OAuthRefusal) {
        for (parameter, error) in Self.unsupported where query[parameter] != nil {
            throw OAuthRefusal(error, "\(parameter) is not supported.")
        }
        guard let responseType = query["response_type"] else {
            throw OAuthRefusal("invalid_request", "response_type is missing.")
        }
        guard responseType == "code" else {
            throw OAuthRefusal("unsupported_response_type", "response_type must be code.")
        }
        guard query.scopes.contains("openid") else { throw OAuthRefusal("invalid_scope", "scope must contain openid.") }
        if let mode = query["response_mode"], !configuration.responseModes.contains(mode) {
            throw OAuthRefusal("invalid_request", "response_mode '\(mode)' is not supported.")
        }
        try checkChallenge(query)
        try checkWishes(query)
    }

    private func checkChallenge(_ query: AuthorizationQuery) throws(OAuthRefusal) {
        guard let challenge = query["code_challenge"] else {
            guard !configuration.isPublicClient else {
                throw OAuthRefusal("invalid_request", "code_challenge is missing: a public client must use PKCE.")
            }
            guard !configuration.requiresPKCE else {
                throw OAuthRefusal("invalid_request", "code_challenge is missing: every client must use PKCE here.")
            }
            guard query["code_challenge_method"] == nil else {
                throw OAuthRefusal("invalid_request", "code_challenge_method needs code_challenge.")
            }
            return
        }
        guard query["code_challenge_method"] == "S256" else {
            throw OAuthRefusal("invalid_request", "code_challenge_method must be S256.")
        }
        try checkDigest(challenge, "code_challenge")
    }

    private func checkWishes(_ query: AuthorizationQuery) throws(OAuthRefusal) {
        let prompts = query.prompts
        guard prompts.allSatisfy({ Self.prompts.contains($0) }), !prompts.contains("none") || prompts.count == 1 else {
            throw OAuthRefusal("invalid_request", "prompt is unknown, or combines none with another value.")
        }
        if let age = query["max_age"], query.maximumAge == nil {
            throw OAuthRefusal("invalid_request", "max_age '\(age)' is not a number of seconds.")
        }
        if configuration.dpop != .off, let key = query["dpop_jkt"] { try checkDigest(key, "dpop_jkt") }
    }

    /// SHA-256 in base64url.
    private func checkDigest(_ text: String, _ name: String) throws(OAuthRefusal) {
        guard Base64URL.decode(text)?.count == 32 else {
            throw OAuthRefusal("invalid_request", "\(name) is not a SHA-256 digest in unpadded base64url.")
        }
    }
}

extension AuthorizationQuery {
    var prompts: [String] { (self["prompt"] ?? "").split(separator: " ").map(String.init) }

    /// `max_age` in seconds; nil when it is absent or none.
    var maximumAge: Int? {
        self["max_age"].flatMap { text in
            text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
        }
    }
}
