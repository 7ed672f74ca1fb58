public import FoundationEssentials
internal import IdentityCrypto

/// The data of one login that waits for its callback; one login attempt completes at most one login.
public struct LoginAttempt: Sendable {
    /// The provider's name.
    public var provider: String
    /// The `state` that the callback must carry (RFC 6749 section 4.1.1).
    public var state: Secret
    /// The `nonce` that the ID token must contain (OpenID Connect Core section 3.1.2.1); nil when no `nonce` was sent.
    public var nonce: Secret?
    /// The PKCE verifier (RFC 7636 section 4.1); nil when no challenge was sent.
    public var codeVerifier: Secret?
    /// The issuer from discovery, which the callback's `iss` must equal (RFC 9207); nil if the provider's issuer is not known.
    public var issuer: String?
    /// The redirect URI of the authorization request, which the token request repeats; nil when no redirect URI was sent.
    public var redirectURI: String?
    /// The requested scopes.
    public var scopes: [String]
    /// The requested `max_age`, in seconds; nil when no `max_age` was sent.
    public var maximumAgeSeconds: Int?
    /// The requested `acr_values`.
    public var authenticationContexts: [String]
    /// The requested response mode; if it is ``ResponseMode/formPost``, a code that arrives in a URL is refused.
    public var responseMode: ResponseMode
    /// The DPoP key for the tokens (RFC 9449), a private JWK; nil without DPoP.
    public var dpopKey: Secret?
    /// The app's page for the buyer after the login; nil if the app requested no page.
    public var returnPath: String?
    /// When the login began.
    public var createdAt: Date
    /// When the login attempt expires.
    public var expiresAt: Date
    package var tenant = ""
    /// The hash of the binding cookie, which shows whether the callback came from the browser that began the login.
    package var browserBindingHash: [UInt8] = []
    /// The parameters of the callback that the browser has posted; nil if no posted callback is stored.
    var postedCallback: [(name: String, value: Secret)]?
    /// The session that a step-up replaces, and what the step-up requires of the login; nil for an ordinary login.
    var stepUp: PendingStepUp?
    /// The buyer of the session that a step-up replaces; nil for an ordinary login.
    ///
    /// The value is set before the code is exchanged, and is never stored.
    package var steppedUpBuyer: Buyer?
}

extension LoginAttempt {
    /// Creates a login attempt.
    public init(
        provider: String,
        state: Secret,
        nonce: Secret? = nil,
        codeVerifier: Secret? = nil,
        issuer: String? = nil,
        redirectURI: String? = nil,
        scopes: [String] = [],
        maximumAgeSeconds: Int? = nil,
        authenticationContexts: [String] = [],
        responseMode: ResponseMode = .query,
        dpopKey: Secret? = nil,
        returnPath: String? = nil,
        createdAt: Date,
        expiresAt: Date
    ) {
        // Swift copies this large struct once more if the members are set one by one.
        self.init(
            provider: provider,
            state: state,
            nonce: nonce,
            codeVerifier: codeVerifier,
            issuer: issuer,
            redirectURI: redirectURI,
            scopes: scopes,
            maximumAgeSeconds: maximumAgeSeconds,
            authenticationContexts: authenticationContexts,
            responseMode: responseMode,
            dpopKey: dpopKey,
            returnPath: returnPath,
            createdAt: createdAt,
            expiresAt: expiresAt,
            tenant: "",
            browserBindingHash: []
        )
    }

    /// The key under which the store keeps the login attempt with this `state`: a hash, because the key is stored unencrypted.
    static func key(for state: Secret) throws -> String {
        Base64URL.encode(try Digest.sha256(state.bytes))
    }

    /// The id of the login with this `state`, for the name of the binding cookie; the id does not reveal the `state`.
    static func id(for state: Secret) throws -> String {
        Base64URL.encode(Array(try Digest.sha256(Array("cookie.".utf8) + state.revealBytes()).prefix(6)))
    }

    package func stored() throws -> StoredLoginAttempt {
        let payload = RecordWriter.record { record in
            record.append("v", 2)
            record.append("provider", provider)
            record.append("state", state)
            record.append("nonce", nonce)
            record.append("verifier", codeVerifier)
            record.append("issuer", issuer)
            record.append("redirect_uri", redirectURI)
            record.append("scopes", scopes)
            record.append("max_age", maximumAgeSeconds)
            record.append("acr_values", authenticationContexts)
            record.append("response_mode", responseMode.rawValue)
            record.append("dpop_key", dpopKey)
            record.append("return_path", returnPath)
            record.append("created_at", createdAt)
            record.append("expires_at", expiresAt)
            record.append("step_up", stepUp?.record)
            record.append("binding", bytes: browserBindingHash)
            record.append(
                "posted",
                postedCallback.map { .array($0.map { .array([.string($0.name), .string($0.value.reveal())]) }) }
            )
        }
        return StoredLoginAttempt(
            key: try Self.key(for: state),
            tenant: tenant,
            expiresAt: expiresAt,
            payload: payload
        )
    }

    package init(_ stored: StoredLoginAttempt) throws(IdentityError) {
        guard let value = RecordReader(stored.payload), value["v"]?.integer == 2,
            let provider = value["provider"]?.string, let state = value["state"]?.secret,
            let createdAt = value["created_at"]?.date, let expiresAt = value["expires_at"]?.date,
            let bindingHash = value["binding"]?.value,
            // A step-up that cannot be decoded must not count as an ordinary login.
            case let stepUp = value["step_up"].flatMap({ $0.json.flatMap(PendingStepUp.init(record:)) }),
            stepUp != nil || value["step_up"] == nil
        else {
            throw IdentityError(
                storeCorrupt: "A stored login attempt could not be decoded.",
                hint: "Start the login again. If several versions of the app use the store, run only one version."
            )
        }
        self.init(
            provider: provider,
            state: state,
            nonce: value["nonce"]?.secret,
            codeVerifier: value["verifier"]?.secret,
            issuer: value["issuer"]?.string,
            redirectURI: value["redirect_uri"]?.string,
            scopes: value["scopes"]?.strings ?? [],
            maximumAgeSeconds: value["max_age"]?.integer,
            authenticationContexts: value["acr_values"]?.strings ?? [],
            responseMode: (value["response_mode"]?.string).flatMap { ResponseMode(rawValue: $0) } ?? .query,
            dpopKey: value["dpop_key"]?.secret,
            returnPath: value["return_path"]?.string,
            createdAt: createdAt,
            expiresAt: expiresAt,
            tenant: stored.tenant,
            browserBindingHash: bindingHash,
            postedCallback: value["posted"]?.json?.array?.compactMap { field in
                guard let pair = field.strings, pair.count == 2 else { return nil }
                return (name: pair[0], value: Secret(pair[1]))
            },
            stepUp: stepUp
        )
    }

    package func checkExpiry(at now: Date) throws(IdentityError) {
        guard expiresAt > now else {
            throw IdentityError(
                .rejected,
                .attemptExpired,
                "The callback arrived after its login had expired.",
                hint: """
                    Start the login again. If buyers often need more time and the app uses SessionManager, increase attemptLifetime of its \
                    Configuration.
                    """
            )
        }
    }
}
