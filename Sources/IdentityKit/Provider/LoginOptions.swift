/// Options of one login.
public struct LoginOptions: Sendable {
    /// The scopes to request instead of the configured ones.
    public var scopes: [String]?
    /// The redirect URI to use instead of the configured one, for example with the port of a loopback listener.
    public var redirectURI: String?
    /// OpenID Connect `prompt`, for example `none` for a silent login.
    public var prompt: String?
    /// OpenID Connect `login_hint`, for example the e-mail address to prefill.
    public var loginHint: String?
    /// OpenID Connect `max_age`: the longest permitted time since the buyer last authenticated.
    public var maximumAge: Duration?
    /// OpenID Connect `acr_values`, in order of preference.
    public var authenticationContexts: [String]
    /// The languages of the login page: BCP 47 tags separated by spaces (`ui_locales`), one tag at Shopify (`locale`).
    public var locale: String?
    /// Further authorization parameters of the provider; parameters that the protocol needs, such as `state`, are refused.
    public var additionalParameters: [(name: String, value: String)]
    /// The app's page for the buyer after the login; stored with the login attempt and returned in ``CompletedLogin/returnPath``.
    ///
    /// You may pass an unchecked path from a request: ``SessionManager/Configuration/returnPaths`` decides which paths are allowed.
    public var returnPath: String?

    /// Creates options.
    ///
    /// ```swift
    /// let options = LoginOptions(prompt: "login", loginHint: email, returnPath: "/account")
    /// ```
    public init(
        scopes: [String]? = nil,
        redirectURI: String? = nil,
        prompt: String? = nil,
        loginHint: String? = nil,
        maximumAge: Duration? = nil,
        authenticationContexts: [String] = [],
        locale: String? = nil,
        additionalParameters: [(name: String, value: String)] = [],
        returnPath: String? = nil
    ) {
        self.scopes = scopes
        self.redirectURI = redirectURI
        self.prompt = prompt
        self.loginHint = loginHint
        self.maximumAge = maximumAge
        self.authenticationContexts = authenticationContexts
        self.locale = locale
        self.additionalParameters = additionalParameters
        self.returnPath = returnPath
    }
}
