public import IdentityKit

/// How the client proves itself to Bolt's token endpoint, and whether logins use PKCE.
public enum BoltClientAuthentication: Sendable {
    /// A backend: the API key is the client secret, no PKCE. The default of Bolt's pages.
    case confidential(apiKey: Secret)
    /// No secret at all, PKCE instead: for an app without a backend.
    ///
    /// That Bolt accepts it without `client_secret` follows from Bolt's mobile pages; whether such a client gets a refresh
    /// token is not public. There is no account API without an API key.
    case publicPKCE
    /// A backend that uses PKCE as well.
    case confidentialPKCE(apiKey: Secret)

    /// The API key, where there is one.
    var apiKey: Secret? {
        switch self {
        case .confidential(let apiKey), .confidentialPKCE(let apiKey): apiKey
        case .publicPKCE: nil
        }
    }

    /// Whether an authorization request carries a challenge.
    var usesPKCE: Bool {
        switch self {
        case .confidential: false
        case .publicPKCE, .confidentialPKCE: true
        }
    }

    var name: String {
        switch self {
        case .confidential: "API key"
        case .publicPKCE: "public, PKCE"
        case .confidentialPKCE: "API key and PKCE"
        }
    }
}

/// Which part of the publishable key is sent as `client_id`; published clients do either.
public enum BoltClientIDForm: String, Sendable {
    /// The whole key, as Bolt's pages say.
    case full
    /// What stands behind its last dot, as Bolt's Magento plugin does.
    case lastSection

    func clientID(of key: String) -> String {
        switch self {
        case .full: key
        case .lastSection: Self.lastSection(of: key)
        }
    }

    static func lastSection(of key: String) -> String {
        let bytes = Array(key.utf8)
        return String(decoding: bytes.split(separator: UInt8(ascii: ".")).last ?? bytes[...], as: UTF8.self)
    }
}

/// What stands between the scopes of a token request; published clients send either.
public enum BoltScopeSeparator: String, Sendable {
    /// A space, sent as `%20`.
    case space
    /// A literal plus sign, sent as `%2B`.
    case plus

    func join(_ scopes: [String]) -> String {
        scopes.joined(separator: self == .space ? " " : "+")
    }
}
