public import IdentityKit

/// Options of a login at Shopify; Shopify's name of each parameter is in parentheses.
///
/// ```swift
/// let options = LoginOptions.shopify { $0.locale = "fr-CA" }
/// ```
public struct ShopifyLoginOptions: Sendable {
    /// The page's language with its region, for example `fr-CA`.
    ///
    /// `pt` and `zh` without a region are not supported: use `pt-PT` or `pt-BR`, `zh-CN` or `zh-TW`.
    public var locale: String?
    /// The ISO 3166-1 alpha-2 country whose market determines the page's branding (`region_country`).
    public var regionCountry: String?
    /// The e-mail address to prefill (`login_hint`).
    public var loginHint: String?
    /// Whether the form with the prefilled address is submitted at once (`login_hint_mode=submit`); no effect without ``loginHint``.
    public var submitsLoginHint = false
    /// The sign-in method to use, for example `provider:google` (`acr_values`).
    public var signInMethod: String?
    /// Whether the login must not show a page (`prompt=none`).
    ///
    /// It succeeds only in a browser that is signed in to the shop. Otherwise it fails with code `login_required`: start a login with
    /// a page then.
    public var isSilent = false
    /// The path of the app to which the buyer returns after the login.
    public var returnPath: String?

    /// No options.
    public init() {}

    /// These options as `LoginOptions`.
    public var loginOptions: LoginOptions {
        var options = LoginOptions()
        options.locale = locale
        options.loginHint = loginHint
        options.prompt = isSilent ? "none" : nil
        options.authenticationContexts = signInMethod.map { [$0] } ?? []
        options.returnPath = returnPath
        if let regionCountry { options.additionalParameters.append(("region_country", regionCountry)) }
        if submitsLoginHint, loginHint != nil { options.additionalParameters.append(("login_hint_mode", "submit")) }
        return options
    }
}

extension LoginOptions {
    /// Login options for Shopify's login page.
    public static func shopify(_ configure: (inout ShopifyLoginOptions) -> Void) -> LoginOptions {
        var options = ShopifyLoginOptions()
        configure(&options)
        return options.loginOptions
    }
}

extension ShopifyLoginOptions: Redacted {
    /// Whether the login is silent and has a hint, without personal data.
    public var description: String {
        "ShopifyLoginOptions(silent: \(isSilent), hint: \(loginHint == nil ? "none" : "<private>"))"
    }
}
