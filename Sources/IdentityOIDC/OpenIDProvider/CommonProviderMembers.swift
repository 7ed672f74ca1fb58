package import IdentityKit

/// The members that every provider's entry in the configuration file may hold.
package struct CommonProviderMembers: Sendable {
    /// Whether plain http to 127.0.0.1 and [::1] is permitted.
    package let allowsLoopbackHTTP: Bool
    /// How long one request may take.
    package let timeout: Duration
    /// Issuers to accept instead of the provider's own.
    package let issuers: [String]?
    /// The tenant of the app that this client serves.
    package let tenant: String
    /// What every login asks for.
    package let loginDefaults: LoginDefaults

    /// Reads the members.
    ///
    /// - Throws: `IdentityError` that names the member.
    package init(_ section: inout ConfigurationSection) throws {
        allowsLoopbackHTTP = try section.bool("allowsLoopbackHTTP", default: false)
        timeout = try section.optionalSeconds("timeout") ?? .seconds(8)
        issuers = try section.optionalStrings("issuers")
        tenant = try section.optionalString("tenant") ?? ""
        loginDefaults = try LoginDefaults(&section)
    }
}
