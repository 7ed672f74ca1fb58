/// Options of one logout.
public struct LogoutOptions: Sendable, Hashable {
    /// The address to which the provider sends the browser after the logout; it must be registered at the provider.
    ///
    /// If the value is nil, ``SessionManager`` uses ``ProviderDescriptor/postLogoutRedirectURI``.
    public var postLogoutRedirectURI: String?
    /// Whether to check the browser's return with a `state` (OpenID Connect RP-Initiated Logout 1.0 section 2), by default true.
    ///
    /// No `state` is sent if the provider does not conform to ``LogoutStateSupporting``, or if no return address is set or configured.
    public var sendsState = true
    /// The app's page for the buyer after the logout; stored with the `state`, and returned in ``CompletedLogout/returnPath``.
    ///
    /// ``SessionManager/Configuration/returnPaths`` decides which paths are allowed.
    public var returnPath: String?

    /// Creates options for a return to the given address.
    public init(returningTo postLogoutRedirectURI: String? = nil) {
        self.postLogoutRedirectURI = postLogoutRedirectURI
    }
}
