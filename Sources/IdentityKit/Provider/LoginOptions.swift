/// What an app may ask for at one login.
public struct LoginOptions: Sendable {
    /// The scopes to ask for instead of the provider's configured ones.
    public var scopes: [String]?
    /// The redirect URI to use instead of the configured one: a presenter that listens on a free port sets it.
    public var redirectURI: String?
    /// OpenID Connect `prompt`, for example `none` for a silent login.
    public var prompt: String?
    /// OpenID Connect `login_hint`: the e-mail address to prefill.
    public var loginHint: String?
    /// OpenID Connect `max_age`: the buyer must have signed in this recently.
    public var maximumAge: Duration?
    /// OpenID Connect `acr_values`, in order of preference.
    public var authenticationContexts: [String]
    /// The language of the login page, a BCP 47 tag: Shopify's `locale`, elsewhere `ui_locales`.
    public var locale: String?
    /// Further authorization parameters, provider specific; they cannot replace those the protocol needs.
    public var additionalParameters: [(name: String, value: String)]
    /// Where in the app the buyer wanted to go, kept with the attempt and handed back at the end.
    ///
    /// It may come straight from the request: ``SessionManager/Configuration/returnPaths`` decides what is permitted.
    public var returnPath: String?

    /// Options with nothing asked for.
    public init() {
        additionalParameters = []
        authenticationContexts = []
    }
}
