/// The options of a login, as in Bolt's SDK.
public struct BoltLoginConfig: Sendable, Equatable {
    /// Whether the login uses PKCE.
    ///
    /// With PKCE, the code can be exchanged without the API key.
    public var usePkce: Bool

    /// Creates a configuration; without PKCE no challenge is sent, and the verifier in the result is empty.
    public init(usePkce: Bool = false) {
        self.usePkce = usePkce
    }
}
