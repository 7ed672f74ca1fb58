internal import IdentityKit

/// A Bolt environment: the API's base URL and its issuers.
///
/// Bolt moved its hosts from `bolt.com` to `boltapp.com` in 2026, and the old and the new issuers are in use. So each named environment
/// accepts several issuers. One key set verifies the ID tokens of all these issuers.
public struct BoltEnvironment: Sendable, Equatable {
    /// The API's base URL, without `/v1/…`.
    public let apiBase: String
    /// The issuers that an ID token may name.
    public let issuers: [String]

    static let authorizationPath = "/v1/oauth/authorize"
    static let sfccAuthorizationPath = "/v1/oauth/internal/authorize"
    static let tokenPath = "/v1/oauth/token"
    static let keySetPath = "/v1/oauth/jwks.json"

    private init(_ apiBase: String, _ issuers: [String]) {
        self.apiBase = apiBase
        self.issuers = issuers
    }

    private static let productionIssuers = [
        "https://bolt.com", "https://api.bolt.com", "https://boltapp.com", "https://api.boltapp.com",
    ]
    private static let sandboxIssuers =
        productionIssuers + ["https://api-sandbox.bolt.com", "https://api-sandbox.boltapp.com"]

    /// Production at its old host, `api.bolt.com`.
    public static let production = BoltEnvironment("https://api.bolt.com", productionIssuers)
    /// Production at its new host since 2026, `api.boltapp.com`.
    public static let productionBoltApp = BoltEnvironment("https://api.boltapp.com", productionIssuers)
    /// The sandbox at its old host, `api-sandbox.bolt.com`.
    public static let sandbox = BoltEnvironment("https://api-sandbox.bolt.com", sandboxIssuers)
    /// The sandbox at its new host since 2026, `api-sandbox.boltapp.com`.
    public static let sandboxBoltApp = BoltEnvironment("https://api-sandbox.boltapp.com", sandboxIssuers)
    /// Bolt's own staging; its issuers are an assumption, because Bolt does not publish them.
    public static let staging = BoltEnvironment(
        "https://api-staging.bolt.com",
        productionIssuers + ["https://api-staging.bolt.com"]
    )

    /// A custom environment: a fake, a proxy, or a host that Bolt gave to a merchant.
    ///
    /// `apiBase` is an https URL without `/v1/…`. `issuers` are the accepted `iss` of ID tokens; by default the base URL.
    public static func custom(apiBase: String, issuers: [String]? = nil) -> BoltEnvironment {
        BoltEnvironment(apiBase, issuers ?? [withoutTrailingSlashes(apiBase)])
    }

    /// The values of `environment` in the configuration file.
    private enum Name: String, CaseIterable {
        case production, sandbox, staging, productionBoltApp, sandboxBoltApp
    }

    init?(configured section: inout ConfigurationSection) throws(IdentityError) {
        guard let name: Name = try section.optionalChoice("environment") else { return nil }
        self =
            switch name {
            case .production: .production
            case .sandbox: .sandbox
            case .staging: .staging
            case .productionBoltApp: .productionBoltApp
            case .sandboxBoltApp: .sandboxBoltApp
            }
    }

    static func withoutTrailingSlashes(_ text: String) -> String {
        var bytes = Array(text.utf8)[...]
        while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
