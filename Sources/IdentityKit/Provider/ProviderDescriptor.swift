/// What is known of a provider without asking it anything.
public struct ProviderDescriptor: Sendable, Equatable {
    /// The name under which the app chooses it, unique in a ``ProviderRegistry``.
    public var name: String
    /// The kind of provider, for example `shopify`.
    public var kind: String
    /// The OAuth client identifier.
    public var clientID: String
    /// The redirect URI that logins use, where one is configured.
    public var redirectURI: String?
    /// Which of the app's shops or tenants it serves; part of every stored session's identity.
    public var tenant: String
    /// How the client proves itself and whether PKCE is used, in words for people.
    public var clientType: String
    /// How the provider is asked to send its answers.
    public var responseMode: ResponseMode
    /// How long one request to the provider may take, where the provider has such a limit.
    public var timeout: Duration?

    /// Creates a descriptor.
    public init(
        name: String,
        kind: String,
        clientID: String,
        redirectURI: String? = nil,
        tenant: String = "",
        clientType: String = "",
        responseMode: ResponseMode = .query,
        timeout: Duration? = nil
    ) {
        self.name = name
        self.kind = kind
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.tenant = tenant
        self.clientType = clientType
        self.responseMode = responseMode
        self.timeout = timeout
    }
}
