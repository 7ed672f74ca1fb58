/// Defaults for the ``LoginOptions`` of every login at one provider.
///
/// For example, many providers grant `offline_access` only with `prompt=consent`:
///
/// ```swift
/// configuration.loginDefaults.prompt = "consent"
/// ```
public struct LoginDefaults: Sendable {
    /// OpenID Connect `prompt`: one or more values separated by spaces, or `none` alone.
    public var prompt: String?
    /// OpenID Connect `login_hint`.
    public var loginHint: String?
    /// OpenID Connect `max_age`, in whole seconds.
    public var maximumAge: Duration?
    /// OpenID Connect `acr_values`, in order of preference.
    public var authenticationContexts: [String] = []
    /// The languages of the login page: BCP 47 tags separated by spaces (`ui_locales`), one tag at Shopify (`locale`).
    public var locale: String?
    /// Further authorization parameters.
    ///
    /// A parameter in ``LoginOptions/additionalParameters`` replaces a default of the same name. Parameters that the protocol needs, such
    /// as `state`, are refused.
    public var additionalParameters: [(name: String, value: String)] = []

    /// Creates defaults without any value.
    public init() {}
}

extension LoginDefaults: Redacted {
    /// The `prompt`; the login hint and further parameters are left out because they may be personal.
    public var description: String { "LoginDefaults(prompt: \(prompt ?? "none given"))" }
}

extension LoginOptions {
    package mutating func complete(by defaults: LoginDefaults) {
        if prompt == nil { prompt = defaults.prompt }
        if loginHint == nil { loginHint = defaults.loginHint }
        if maximumAge == nil { maximumAge = defaults.maximumAge }
        if locale == nil { locale = defaults.locale }
        if authenticationContexts.isEmpty { authenticationContexts = defaults.authenticationContexts }
        guard !defaults.additionalParameters.isEmpty else { return }
        let own = additionalParameters
        additionalParameters =
            defaults.additionalParameters.filter { given in !own.contains { $0.name.isIdentical(to: given.name) } }
            + own
    }
}
