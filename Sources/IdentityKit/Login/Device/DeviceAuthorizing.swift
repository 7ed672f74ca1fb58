public import FoundationEssentials
public import IdentityHTTP

/// A provider that supports the device authorization grant (RFC 8628).
///
/// A program without a browser shows a code, and the buyer enters it on a phone or computer.
/// ``SessionManager/deviceLogin(_:options:prompt:)`` and ``LoginFlow/init(provider:sessions:devicePrompt:)`` schedule the polls; a
/// provider only performs single requests.
public protocol DeviceAuthorizing: Sendable {
    /// Requests a code to show (RFC 8628 section 3.1).
    ///
    /// - Parameter options: Options of this login.
    /// - Returns: The prompt and the code to poll with.
    /// - Throws: ``IdentityError``, with code ``IdentityError/Code/unsupportedByProvider`` when the provider does not support the
    ///   grant.
    func deviceAuthorization(_ options: LoginOptions) async throws -> DeviceAuthorization

    /// Polls once whether the buyer has entered the code (RFC 8628 section 3.4).
    ///
    /// ``SessionManager`` waits for the interval between two polls of a login, and never sends two of them at the same time.
    ///
    /// - Parameter authorization: The authorization to poll for.
    /// - Returns: The state of the login. After an outage or a timeout, return ``DevicePoll/unanswered(_:)``: ``SessionManager`` polls
    ///   again until the code expires.
    /// - Throws: ``IdentityError`` when the login has failed, for example because the buyer refused or the code expired.
    func poll(_ authorization: DeviceAuthorization) async throws -> DevicePoll
}

/// The result of one poll (RFC 8628 section 3.5).
public enum DevicePoll: Sendable {
    /// The buyer has not decided yet (`authorization_pending`).
    case pending
    /// The buyer has not decided yet, and the interval must grow by five seconds (`slow_down`).
    case slowDown
    /// The provider did not respond, because of an outage or a timeout; the login continues.
    case unanswered(IdentityError)
    /// The buyer signed in.
    case authorized(TokenSet)
}

/// A device authorization response: the prompt for the buyer and the code to poll with (RFC 8628 section 3.2).
public struct DeviceAuthorization: Sendable {
    /// The prompt to show to the buyer.
    public var prompt: DeviceLoginPrompt
    /// The `device_code`, with which the client polls for tokens; never show it.
    public var deviceCode: Secret
    /// How long the code is valid, counted from the start of the request for the code.
    public var lifetime: Duration
    /// The shortest time between two polls, by default 5 seconds (RFC 8628 section 3.2).
    public var interval: Duration = .seconds(5)
    /// The requested scopes.
    public var scopes: [String]
    /// The issuer from discovery, which must have issued the ID token; nil if the provider's issuer is not known.
    public var issuer: String?
    /// The requested `max_age`, in seconds.
    public var maximumAgeSeconds: Int?
    /// The requested `acr_values`.
    public var authenticationContexts: [String] = []
    /// The PKCE code verifier that each poll sends (RFC 7636); nil without PKCE.
    public var codeVerifier: Secret?
    /// The DPoP key for the tokens (RFC 9449), a private JWK; nil without DPoP.
    public var dpopKey: Secret?

    /// Creates an authorization; for authors of providers.
    public init(prompt: DeviceLoginPrompt, deviceCode: Secret, lifetime: Duration, scopes: [String]) {
        self.prompt = prompt
        self.deviceCode = deviceCode
        self.lifetime = lifetime
        self.scopes = scopes
    }
}

/// The code and the page that a buyer needs to sign in on another device (RFC 8628 section 3.3).
public struct DeviceLoginPrompt: Sendable {
    /// The provider's name.
    public let provider: String
    /// The code to enter; ASCII without control characters, to be shown unchanged.
    public let userCode: String
    /// The page on which to enter the code.
    public let verificationURI: HTTPURL
    /// The page with the code filled in, for a link or a QR code; nil if the provider has none.
    ///
    /// Show ``userCode`` beside it.
    public let verificationURIComplete: HTTPURL?
    /// When the code expires.
    public let expiresAt: Date

    /// Creates a prompt; for authors of providers.
    public init(
        provider: String,
        userCode: String,
        verificationURI: HTTPURL,
        verificationURIComplete: HTTPURL? = nil,
        expiresAt: Date
    ) {
        self.provider = provider
        self.userCode = userCode
        self.verificationURI = verificationURI
        self.verificationURIComplete = verificationURIComplete
        self.expiresAt = expiresAt
    }
}

extension DeviceLoginPrompt: Redacted {
    /// The provider and its page, without the code, which must not be logged.
    public var description: String { "DeviceLoginPrompt(provider: \(provider), at: \(verificationURI))" }
}
