/// The settings of the sandbox's Salesforce Commerce Cloud.
public struct SandboxSFCCConfiguration: Sendable {
    /// The place in which the controller `Login-ExchangeSFCCToken` returns the buyer's JWT.
    public enum TokenPlacement: Sendable, Equatable {
        /// In the `Authorization: Bearer` response header.
        case header
        /// In the JSON body under a path of keys, such as `["access_token"]` or `["data", "token"]`.
        case json(path: [String])
    }

    /// The site, as in `Sites-{site}-Site`.
    public var siteID = "Shop"
    /// The locale in the controllers' paths.
    public var locale = "default"
    /// The place in which the controller `Login-ExchangeSFCCToken` returns the buyer's JWT.
    public var tokenPlacement = TokenPlacement.json(path: ["access_token"])
    /// The lifetime of the buyer's JWT; 30 minutes by default.
    public var tokenLifetime: Duration = .seconds(1800)

    /// A configuration with the defaults.
    public init() {}
}
