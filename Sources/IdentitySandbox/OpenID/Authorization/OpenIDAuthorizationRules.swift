internal import IdentityCrypto
internal import IdentityHTTP
internal import IdentityKit

/// The rules for authorization requests, pushed or not (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2.1).
struct OpenIDAuthorizationRules: Sendable {
    let configuration: SandboxOpenIDConfiguration
    let client: SandboxOpenIDClient
    /// The redirect URIs of the client's configuration, and the redirect URIs that were registered after the start.
    let redirectURIs: [String]

    private static let prompts = ["none", "login", "consent", "select_account"]
    private static let unsupported = [
        (parameter: "request", error: "request_not_supported"), ("request_uri", "request_uri_not_supported"),
        ("registration", "registration_not_supported"),
    ]

    /// The caller must not send an error of this function to the redirect URI, because an unregistered URI may belong to an attacker.
    func redirectURI(of query: OAuthParameters) throws(OAuthRefusal) -> String {
        guard let redirectURI = query["redirect_uri"] else {
            throw .invalidRequest("redirect_uri is missing.")
        }
        guard RedirectRule.permits(redirectURI, registered: redirectURIs) else {
            throw .invalidRequest("redirect_uri is not registered.")
        }
        return redirectURI
    }

    /// Checks the parameters of the request; ``redirectURI(of:)`` checks the redirect URI.
    func check(_ query: OAuthParameters) throws(OAuthRefusal) {
        for (parameter, error) in Self.unsupported where query[parameter] != nil {
            throw OAuthRefusal(error, "\(parameter) is not supported.")
        }
        guard let responseType = query["response_type"] else {
            throw .invalidRequest("response_type is missing.")
        }
        let types = query.responseType
        guard configuration.responseTypes.contains(where: { Set($0.split(separator: " ").map(String.init)) == types })
        else {
            let served = configuration.responseTypes.joined(separator: ", ")
            throw OAuthRefusal(
                "unsupported_response_type",
                "response_type '\(responseType)' is not supported. Use: \(served)."
            )
        }
        guard types == ["code"] || query["nonce"] != nil else {
            throw .invalidRequest("nonce is missing: a response_type with id_token requires it.")
        }
        guard query.scopes.contains("openid") else { throw OAuthRefusal("invalid_scope", "scope must contain openid.") }
        if let mode = query["response_mode"], !configuration.responseModes.contains(mode) {
            throw .invalidRequest("response_mode '\(mode)' is not supported.")
        }
        guard query["response_mode"] != "query" || types == ["code"] else {
            throw .invalidRequest("response_mode must not be query if response_type contains id_token.")
        }
        if types.contains("code") { try checkChallenge(query) }
        try checkWishes(query)
    }

    private func checkChallenge(_ query: OAuthParameters) throws(OAuthRefusal) {
        guard let challenge = query["code_challenge"] else {
            guard !client.isPublic else {
                throw .invalidRequest("code_challenge is missing: a public client must use PKCE.")
            }
            guard !configuration.requiresPKCE else {
                throw .invalidRequest("code_challenge is missing: this provider requires PKCE.")
            }
            guard query["code_challenge_method"] == nil else {
                throw .invalidRequest("code_challenge_method is sent without code_challenge.")
            }
            return
        }
        guard query["code_challenge_method"] == "S256" else {
            throw .invalidRequest("code_challenge_method must be S256.")
        }
        try checkDigest(challenge, "code_challenge")
    }

    private func checkWishes(_ query: OAuthParameters) throws(OAuthRefusal) {
        let prompts = query.prompts
        guard prompts.allSatisfy({ Self.prompts.contains($0) }), !prompts.contains("none") || prompts.count == 1 else {
            throw .invalidRequest("prompt has an unknown value, or combines none with another value.")
        }
        if let age = query["max_age"], query.maximumAge == nil {
            throw .invalidRequest("max_age '\(age)' is not a number of seconds.")
        }
        if configuration.dpop != .off, let key = query["dpop_jkt"] { try checkDigest(key, "dpop_jkt") }
    }

    private func checkDigest(_ text: String, _ name: String) throws(OAuthRefusal) {
        guard Base64URL.decode(text)?.count == 32 else {
            throw .invalidRequest("\(name) is not a SHA-256 digest in unpadded base64url.")
        }
    }
}

extension OAuthParameters {
    var responseType: Set<String> { Set(words("response_type")) }

    /// Returns the requested `response_mode`, or the response type's default if the mode is missing, not served or forbidden.
    func responseMode(served: [String]) -> SandboxResponseMode {
        let isFragmentType = !responseType.isDisjoint(with: ["id_token", "token"])
        let fallback = isFragmentType ? SandboxResponseMode.fragment : .query
        guard let name = self["response_mode"], served.contains(name), let mode = SandboxResponseMode(rawValue: name)
        else { return fallback }
        return mode == .query ? fallback : mode
    }

    var prompts: [String] { words("prompt") }

    /// `max_age` in seconds; nil if it is absent or invalid.
    var maximumAge: Int? {
        self["max_age"].flatMap { $0.utf8.allSatisfy(ASCII.isDigit) ? Int($0) : nil }
    }
}
