internal import IdentityHTTP
public import IdentityKit
internal import IdentityOIDC

extension SFCCConfiguration: ProviderConfiguration {}

/// Creates ``SFCCProvider`` from configuration entries of kind `bolt-sfcc`.
public struct SFCCProviderFactory: ProviderFactory {
    /// The kind of the configuration entries: `bolt-sfcc`.
    public let kind = "bolt-sfcc"

    private static let memberNames =
        CommonProviderMembers.names + [
            "host", "siteID", "locale", "controllerBasePath", "codeExchangeAction", "tokenExchangeAction", "codeParam",
            "stateParam", "extraQuery", "extraForm", "repeatsCode", "continuationField", "tokenJSONPaths",
            "publishableKey", "redirectURI", "scopes", "stateLength", "usePkce", "environment", "audiences",
        ]

    /// Creates the factory.
    public init() {}

    /// Creates a provider from the members that `Documentation/Operating/Configuration.md` and `Documentation/Using/Bolt.md` list.
    ///
    /// `host` and `siteID` are required. `siteID` may be missing if `controllerBasePath` is set, or if `endpoints.codeExchange` and
    /// `endpoints.tokenExchange` are set. `usePkce` must not be true.
    public func makeProvider(
        named name: String,
        from section: inout ConfigurationSection,
        in environment: IdentityEnvironment
    ) throws -> any IdentityProvider {
        try section.check(members: Self.memberNames)
        var endpoints = SFCCConfiguration.Endpoints()
        let common = try CommonProviderMembers(
            &section,
            &endpoints,
            [
                "authorization": \.authorization, "codeExchange": \.codeExchange, "tokenExchange": \.tokenExchange,
                "jwks": \.jwks, "api": \.api,
            ]
        )
        let basePath = try section.optionalString("controllerBasePath")
        let needsSite = basePath == nil && (endpoints.codeExchange == nil || endpoints.tokenExchange == nil)
        var configuration = SFCCConfiguration(
            name: name,
            host: try section.string("host"),
            siteID: try needsSite ? section.string("siteID") : section.optionalString("siteID") ?? ""
        )
        configuration.endpoints = endpoints
        configuration.controllerBasePath = basePath
        common.apply(to: &configuration)
        configuration.audiences = try section.optionalStrings("audiences")
        func text(_ name: String, _ path: WritableKeyPath<SFCCConfiguration, String>) throws {
            if let text = try section.optionalString(name) { configuration[keyPath: path] = text }
        }
        try text("locale", \.locale)
        try text("codeExchangeAction", \.codeExchangeAction)
        try text("tokenExchangeAction", \.tokenExchangeAction)
        try text("codeParam", \.codeParam)
        try text("stateParam", \.stateParam)
        configuration.extraQuery = try Self.fields(&section, "extraQuery")
        configuration.extraForm = try Self.fields(&section, "extraForm")
        configuration.repeatsCode = try section.bool("repeatsCode", default: false)
        configuration.continuationField = try section.optionalString("continuationField")
        configuration.tokenJSONPaths = try section.optionalStrings("tokenJSONPaths") ?? configuration.tokenJSONPaths
        configuration.publishableKey = try section.optionalString("publishableKey")
        configuration.redirectURI = try section.optionalString("redirectURI")
        configuration.scopes = try section.optionalStrings("scopes") ?? configuration.scopes
        configuration.stateLength = try section.optionalInteger("stateLength", in: 8...86)
        if try section.bool("usePkce", default: false) {
            throw section.error(
                "usePkce",
                "must be false",
                hint: "Remove usePkce: the SFCC backend exchanges the code, without PKCE."
            )
        }
        configuration.environment = try BoltEnvironment(configured: &section) ?? configuration.environment
        return try SFCCProvider(configuration, environment: environment)
    }

    private static func fields(
        _ section: inout ConfigurationSection,
        _ name: String
    ) throws(IdentityError) -> [(name: String, value: Secret)] {
        guard var members = try section.optionalSection(name) else { return [] }
        var fields: [(name: String, value: Secret)] = []
        for member in members.memberNames {
            if let value = try members.optionalSecretOrText(member) { fields.append((member, value)) }
        }
        return fields
    }
}
