/// Where Bolt's API is and by which names it signs.
///
/// Bolt moved its hosts from `bolt.com` to `boltapp.com` in 2026, and both the old and the new issuers are in use, so each
/// environment accepts a set. The keys always come from the environment itself: an issuer never chooses them.
public struct BoltEnvironment: Sendable, Equatable {
    /// The API's base: what stands before `/v1/…`.
    public let apiBase: String
    /// The issuers that an ID token may name.
    public let issuers: [String]

    private init(_ apiBase: String, _ issuers: [String]) {
        self.apiBase = apiBase
        self.issuers = issuers
    }

    private static let productionIssuers = [
        "https://bolt.com", "https://api.bolt.com", "https://boltapp.com", "https://api.boltapp.com",
    ]
    private static let sandboxIssuers =
        productionIssuers + ["https://api-sandbox.bolt.com", "https://api-sandbox.boltapp.com"]

    /// Production at its classic host, `api.bolt.com`.
    public static let production = BoltEnvironment("https://api.bolt.com", productionIssuers)
    /// Production at the host since 2026, `api.boltapp.com`.
    public static let productionBoltApp = BoltEnvironment("https://api.boltapp.com", productionIssuers)
    /// The sandbox at its classic host, `api-sandbox.bolt.com`.
    public static let sandbox = BoltEnvironment("https://api-sandbox.bolt.com", sandboxIssuers)
    /// The sandbox at the host since 2026, `api-sandbox.boltapp.com`.
    public static let sandboxBoltApp = BoltEnvironment("https://api-sandbox.boltapp.com", sandboxIssuers)
    /// Bolt's own staging; its issuers are an assumption, nothing public names them.
    public static let staging = BoltEnvironment(
        "https://api-staging.bolt.com",
        productionIssuers + ["https://api-staging.bolt.com"]
    )

    /// An environment of its own: a fake, a proxy, or a host that Bolt named to a merchant.
    ///
    /// - Parameters:
    ///   - apiBase: An https URL, what stands before `/v1/…`.
    ///   - issuers: What ID tokens name as `iss`; by default the base itself.
    public static func custom(apiBase: String, issuers: [String]? = nil) -> BoltEnvironment {
        BoltEnvironment(apiBase, issuers ?? [withoutTrailingSlashes(apiBase)])
    }

    /// The environment of a name in the configuration file; nil for one that is not known.
    static func named(_ name: String) -> BoltEnvironment? {
        switch name {
        case "production": .production
        case "productionBoltApp": .productionBoltApp
        case "sandbox": .sandbox
        case "sandboxBoltApp": .sandboxBoltApp
        case "staging": .staging
        default: nil
        }
    }

    static let names = "production, sandbox, staging, productionBoltApp, sandboxBoltApp"

    static func withoutTrailingSlashes(_ text: String) -> String {
        var bytes = Array(text.utf8)[...]
        while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
