/// The options of a login, as in Bolt's SDK.
public struct BoltLoginConfig: Sendable, Equatable {
    /// Whether the login uses PKCE.
    ///
    /// Must be true for a provider without API key (``BoltClientAuthentication/publicPKCE``), and false for ``SFCCProvider``. Bolt's
    /// documentation implies that a code from a login with PKCE can be exchanged without the API key.
    public var usePkce: Bool

    /// Creates a configuration; without PKCE, the code verifier in the result of the login is empty.
    public init(usePkce: Bool = false) {
        self.usePkce = usePkce
    }
}
