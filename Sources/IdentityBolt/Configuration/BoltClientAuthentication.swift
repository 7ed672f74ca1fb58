public import IdentityKit

/// How the client authenticates at Bolt's token endpoint, and whether logins use PKCE.
///
/// For `BoltCheckout`, `BoltLoginConfig.usePkce` decides whether a login uses PKCE.
public enum BoltClientAuthentication: Sendable {
    /// A backend without PKCE: the default in Bolt's documentation.
    ///
    /// The API key is sent as the client secret, in the body of the request (`client_secret_post`).
    case confidential(apiKey: Secret)
    /// An app without a backend: PKCE without an API key.
    ///
    /// Such a client cannot read the buyer's account, because the account API needs an API key. Bolt's mobile documentation implies that
    /// Bolt accepts a code without `client_secret`. The documentation does not say whether such a client gets a refresh token.
    case publicPKCE
    /// A backend with PKCE; the API key is sent as client secret in the body.
    case confidentialPKCE(apiKey: Secret)

    var apiKey: Secret? {
        switch self {
        case .confidential(let apiKey), .confidentialPKCE(let apiKey): apiKey
        case .publicPKCE: nil
        }
    }

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

/// The part of the publishable key that is sent as `client_id`; some published clients send the whole key, others its last part.
public enum BoltClientIDForm: String, Sendable, CaseIterable {
    /// The whole key, as in Bolt's documentation.
    case full
    /// The part after the last dot, as in Bolt's Magento plugin.
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

/// The separator of the scopes in a token request; some published clients send a space, others a plus sign.
public enum BoltScopeSeparator: String, Sendable, CaseIterable {
    /// Scopes are separated by a space, sent as `%20`.
    case space
    /// Scopes are separated by a literal plus sign, sent as `%2B`.
    case plus

    func join(_ scopes: [String]) -> String {
        scopes.joined(separator: self == .space ? " " : "+")
    }
}
