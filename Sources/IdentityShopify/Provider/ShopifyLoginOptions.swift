public import IdentityKit

/// The options of a login at Shopify.
///
/// If Shopify's parameter has another name than the member, the member's comment contains the parameter's name in parentheses.
///
/// ```swift
/// let options = LoginOptions.shopify { $0.locale = "fr-CA" }
/// ```
public struct ShopifyLoginOptions: Sendable {
    /// The language of the login page, with or without a region, for example `fr-CA`.
    ///
    /// Shopify does not support `pt` and `zh` without a region: use `pt-PT` or `pt-BR`, `zh-CN` or `zh-TW`. The SDK checks only
    /// the form of the value, not whether Shopify supports the language.
    public var locale: String?
    /// The ISO 3166-1 alpha-2 country whose market determines the branding of the login page (`region_country`).
    public var regionCountry: String?
    /// The e-mail address with which Shopify prefills the login form (`login_hint`).
    public var loginHint: String?
    /// Whether Shopify submits the prefilled login form at once (`login_hint_mode=submit`); no effect without ``loginHint``.
    public var submitsLoginHint = false
    /// The sign-in method to use, for example `provider:google` (`acr_values`).
    public var signInMethod: String?
    /// Whether the login runs without a page (`prompt=none`).
    ///
    /// If the browser is not signed in at the shop, a silent login fails with code `login_required`. Then start a login that is not silent.
    public var isSilent = false
    /// The path in the app to which the buyer returns after the login.
    public var returnPath: String?

    /// Creates options with the default values.
    public init() {}

    /// The options in the form that login functions accept.
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
    /// Creates the options of a login at Shopify.
    public static func shopify(_ configure: (inout ShopifyLoginOptions) -> Void) -> LoginOptions {
        var options = ShopifyLoginOptions()
        configure(&options)
        return options.loginOptions
    }
}

extension ShopifyLoginOptions: Redacted {
    /// Whether the login is silent, and whether it has a login hint; without personal data.
    public var description: String {
        "ShopifyLoginOptions(silent: \(isSilent), hint: \(loginHint == nil ? "none" : "<private>"))"
    }
}
