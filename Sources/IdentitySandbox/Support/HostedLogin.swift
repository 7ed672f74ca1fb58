internal import FoundationEssentials

/// A login at the hosted login page, which waits for the buyer's e-mail address and one-time code.
struct HostedLogin: Sendable {
    enum Step: Sendable {
        case email
        case oneTimeCode
        /// The buyer is signed in and is asked whether the app may have access.
        case consent
    }

    let id: String
    let clientID: String
    /// The URI for the response; empty for a device login, and for a Bolt login without a requested or registered URI.
    let callback: String
    /// The `redirect_uri` of the request; nil if the request does not have the parameter.
    let redirectURI: String?
    let state: String?
    var scopes: [String]
    let nonce: String?
    let challenge: String?
    var loginHint: String?
    let displayedParameters: [(name: String, value: String)]
    let binding: String
    let expires: Date
    var step = Step.email
    var email: String?
    var oneTimeCode: String?
    var problem: String?
    var failures = 0
    /// The name on the login pages; nil for the provider's own name.
    var brand: String?
    var responseMode = SandboxResponseMode.query
    /// The requested parameters of the authorization response, such as `code` (`response_type`).
    var responseType: Set<String> = ["code"]
    var asksConsent = false
    /// The subject of `id_token_hint`: only this buyer may sign in; nil permits every buyer.
    var hintedSubject: String?
    /// The session of the signed-in buyer in the step `consent`; nil in the other steps.
    var session: LoginSessions.Session?
    /// The first requested authentication context (`acr_values`) that the provider supports, for the claim `acr`.
    var acr: String?
    /// The handle of the device login for which the buyer signs in; nil for a login that ends at a redirect URI.
    var deviceHandle: String?
    var keyThumbprint: String?
    /// The `request_uri` of the pushed authorization request; nil if the request was not pushed.
    var pushedRequest: String?
    var idTokenChanges: [@Sendable (inout SandboxIDToken) -> Void] = []

    init(
        clientID: String,
        callback: String,
        _ query: OAuthParameters = OAuthParameters([:]),
        displayedParameters: [String] = [],
        at now: Date
    ) {
        id = RandomText.hexadecimal(32)
        binding = RandomText.hexadecimal(32)
        expires = now + 600
        self.clientID = clientID
        self.callback = callback
        self.displayedParameters = displayedParameters.compactMap { name in query[name].map { (name, $0) } }
        redirectURI = query["redirect_uri"]
        state = query["state"]
        scopes = query.scopes
        nonce = query["nonce"]
        challenge = query["code_challenge"]
        loginHint = query["login_hint"]
    }

    func redirect(with fields: [(name: String, value: String)], status: Int = 303) -> SandboxResponse {
        let state = state.map { [(name: "state", value: $0)] } ?? []
        return .redirect(to: FormText.append(fields + state, to: callback), status: status)
    }
}

extension HostedLogin {
    /// The number of wrong one-time codes after which a login ends.
    static let maximumFailures = 5

    /// Creates the one-time code for an e-mail address and continues with its page; an invalid address sets `problem` instead.
    mutating func sendOneTimeCode(to email: String) {
        let parts = email.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), email.utf8.count <= 254 else {
            problem = "Please enter a valid e-mail address."
            return
        }
        self.email = email
        oneTimeCode = RandomText.digits(6)
        step = .oneTimeCode
        problem = nil
    }

    mutating func email(provedBy code: String?) -> String? {
        if let oneTimeCode, code == oneTimeCode, let email { return email }
        failures += 1
        problem = "That code is not right. Please try again."
        return nil
    }
}

enum SandboxResponseMode: String, Sendable {
    case query
    case fragment
    case form = "form_post"
}
