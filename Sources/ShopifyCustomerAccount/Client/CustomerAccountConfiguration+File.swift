public import IdentityKit
internal import ShopifyGraphQL

extension CustomerAccountConfiguration {
    /// Reads the section `customerAccount` of a configuration file.
    ///
    /// Members: `shopDomain` (required), `apiVersion`, `origin`, `endpoint`, `endpointHosts`, `timeout`, `allowsLoopbackHTTP`.
    ///
    /// - Throws: `IdentityError` that names the member, also for an unknown member.
    public init(_ section: ConfigurationSection) throws(IdentityError) {
        try section.check(members: [
            "shopDomain", "apiVersion", "origin", "endpoint", "endpointHosts", "timeout", "allowsLoopbackHTTP",
        ])
        var section = section
        let allowsLoopbackHTTP = try section.bool("allowsLoopbackHTTP", default: false)
        try self.init(
            shopDomain: try section.string("shopDomain"),
            apiVersion: try section.optionalString("apiVersion").map(ShopifyAPIVersion.init(rawValue:)) ?? .standard,
            origin: try section.optionalString("origin"),
            endpoint: try section.optionalURL("endpoint", allowsLoopbackHTTP: allowsLoopbackHTTP),
            endpointHosts: try section.optionalStrings("endpointHosts"),
            allowsLoopbackHTTP: allowsLoopbackHTTP,
            timeout: try section.optionalSeconds("timeout") ?? .seconds(15)
        )
    }
}
