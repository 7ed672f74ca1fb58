/// What an app may ask for at one logout.
public struct LogoutOptions: Sendable {
    /// Where the provider should send the browser afterwards; must be registered there.
    public var postLogoutRedirectURI: String?
    /// Whether the browser's return is to be checked, by default true: a `state` goes along (OpenID Connect RP-Initiated Logout
    /// 1.0 section 2) where there is an address to return to and the provider hands a `state` back.
    public var sendsState = true
    /// Where in the app the buyer should go afterwards: kept with the `state` and handed back with it.
    ///
    /// ``SessionManager/Configuration/returnPaths`` decides what is permitted.
    public var returnPath: String?

    /// Options for a return to the given address.
    public init(returningTo postLogoutRedirectURI: String? = nil) {
        self.postLogoutRedirectURI = postLogoutRedirectURI
    }
}
