public import IdentityKit

/// What Shopify's login page can be asked for, under Shopify's own names.
public struct ShopifyLoginOptions: Sendable {
    /// The page's language with its region, for example `fr-CA`.
    ///
    /// Bare `pt` and `zh` do not exist there: use `pt-PT` or `pt-BR`, `zh-CN` or `zh-TW`.
    public var locale: String?
    /// The ISO 3166-1 alpha-2 country whose market brands the page (`region_country`).
    public var regionCountry: String?
    /// The e-mail address to prefill (`login_hint`).
    public var loginHint: String?
    /// Whether the form with the prefilled address is sent at once (`login_hint_mode=submit`); nothing without ``loginHint``.
    public var submitsLoginHint = false
    /// One sign-in method to go to, for example `provider:google` (`acr_values`).
    public var signInMethod: String?
    /// Whether no page may be shown (`prompt=none`).
    ///
    /// Only a browser that is signed in to the shop then brings a code. All others bring an error of code
    /// `loginRequired`, on which a login with a page is the next step.
    public var isSilent = false
    /// Where in the app the buyer wanted to go.
    public var returnPath: String?

    /// Nothing asked for.
    public init() {}

    /// The same as general options.
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
    /// General options that ask Shopify's login page for something.
    public static func shopify(_ configure: (inout ShopifyLoginOptions) -> Void) -> LoginOptions {
        var options = ShopifyLoginOptions()
        configure(&options)
        return options.loginOptions
    }
}

extension ShopifyLoginOptions: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whether the login is silent and hinted at; nothing about the buyer.
    public var description: String {
        "ShopifyLoginOptions(silent: \(isSilent), hint: \(loginHint == nil ? "none" : "<private>"))"
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
