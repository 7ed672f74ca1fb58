internal import IdentityCrypto
internal import IdentityKit

/// The settings of the sandbox's plain OpenID provider.
///
/// The members of ``client``, the first client, are also members of the configuration:
///
/// ```swift
/// var configuration = SandboxConfiguration()
/// configuration.openID.clientID = "my-app"
/// configuration.openID.claimsIn = .idToken
/// ```
@dynamicMemberLookup
public struct SandboxOpenIDConfiguration: Sendable {
    /// The signature algorithms that the provider can use, by their JOSE names.
    public enum Algorithm: String, Sendable, CaseIterable {
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        case rs256 = "RS256"
        /// RSASSA-PSS with SHA-256.
        case ps256 = "PS256"
        /// ECDSA on P-256 with SHA-256.
        case es256 = "ES256"
        /// ECDSA on P-384 with SHA-384.
        case es384 = "ES384"
        /// EdDSA on Ed25519.
        case edDSA = "EdDSA"

        var signature: SignatureAlgorithm { SignatureAlgorithm(rawValue: rawValue) ?? .rs256 }
    }

    /// Where an app finds the claims of the scopes `email`, `profile` and `phone`.
    public enum ClaimsPlace: String, Sendable, CaseIterable {
        /// In the UserInfo response only, as OpenID Connect Core section 5.4 says for logins that return an access token.
        ///
        /// If `response_type` is `id_token`, the claims are in the ID token, because the app gets no access token.
        case userInfo = "userinfo"
        /// In the UserInfo response and in the ID token.
        case idToken = "id_token"
    }

    /// A client secret with characters that form-encoding changes.
    ///
    /// RFC 6749 section 2.3.1 requires form-encoding before HTTP Basic. A client that omits form-encoding fails with this secret.
    public static let specialClientSecret = "sandbox-openid+secret/with=signs&more"

    /// The first client, whose values `labConfiguration()` uses.
    public var client = SandboxOpenIDClient()
    /// Further clients; by default none.
    public var furtherClients: [SandboxOpenIDClient] = []
    /// The issuer, with which all URLs in the metadata begin; by default the provider's origin.
    ///
    /// Set the issuer if clients use another origin, for example the origin of a proxy that adds TLS.
    public var issuer: String?
    /// Whether confidential clients must use PKCE, which public clients must use in any case; by default false.
    public var requiresPKCE = false
    /// The algorithms with which a client may sign assertions and DPoP proofs.
    public var clientSigningAlgorithms = ["ES256", "ES384", "ES512", "EdDSA", "PS256", "PS384", "PS512", "RS256"]
    /// Whether the provider supports or requires DPoP (RFC 9449); by default off.
    ///
    /// With ``Feature/accepted``, a token request with a proof gets an access token that is bound to the proof's key. A token request
    /// without a proof gets a bearer token.
    public var dpop = Feature.off
    /// Whether DPoP proofs must contain a nonce of the provider; by default ``DPoPNonce/none``.
    public var dpopNonce = DPoPNonce.none
    /// Whether the provider supports or requires pushed authorization requests (RFC 9126); by default off.
    public var pushedRequests = Feature.off
    /// The lifetime of a pushed request; by default 60 seconds.
    public var pushedRequestLifetime: Duration = .seconds(60)
    /// The values of `response_type` that the provider serves, from `code`, `id_token` and `code id_token`; by default only `code`.
    public var responseTypes = ["code"]
    /// The values of `response_mode` that the provider serves; by default all three.
    public var responseModes = ["query", "fragment", "form_post"]
    /// The authentication contexts that a client can request with `acr_values`; by default none.
    ///
    /// The ID token's `acr` is the first requested value that is in this list. If no value is in the list, there is no `acr`.
    public var acrValues: [String] = []
    /// Where an app finds the claims about the buyer; by default in UserInfo.
    public var claimsIn = ClaimsPlace.userInfo
    /// Whether tokens can be revoked (RFC 7009); by default false.
    public var supportsRevocation = false
    /// Whether devices without a browser can sign in (RFC 8628); by default false.
    public var supportsDeviceAuthorization = false
    /// The lifetime of a device's code; by default 600 seconds.
    public var deviceCodeLifetime: Duration = .seconds(600)
    /// The minimum time between two polls of a device; by default 5 seconds.
    public var devicePollingInterval: Duration = .seconds(5)
    /// Whether the metadata also list response types that the provider does not serve, in unusual orders such as
    /// `token id_token code`; by default false.
    public var announcesOddResponseTypes = false
    /// Whether the path of the key set is random; by default false.
    public var randomizesKeySetPath = false
    /// Whether refresh tokens are issued; by default true.
    public var issuesRefreshTokens = true
    /// Whether only logins with the scope `offline_access` get refresh tokens; by default false.
    public var refreshNeedsOfflineAccess = false
    /// Whether the scope `offline_access` is ignored without `prompt=consent` (OpenID Connect Core section 11); by default false.
    public var offlineAccessNeedsConsent = false
    /// Whether a refresh with the scope `openid` returns a new ID token; by default true.
    public var refreshesIDToken = true
    /// Whether a refresh returns a new refresh token; by default true.
    ///
    /// If false, a refresh token works until it expires or is revoked.
    public var rotatesRefreshTokens = true
    /// What the provider does with a used refresh token; by default ``SandboxConfiguration/tokenReuse``.
    public var tokenReuse: SandboxTokenReuse?
    /// The lifetime of authorization codes; by default ``SandboxConfiguration/authorizationCodeLifetime``.
    public var authorizationCodeLifetime: Duration?
    /// The lifetime of access tokens; by default ``SandboxConfiguration/accessTokenLifetime``.
    public var accessTokenLifetime: Duration?
    /// The lifetime of ID tokens; by default 3600 seconds.
    public var idTokenLifetime: Duration = .seconds(3600)
    /// The lifetime of refresh tokens; by default unlimited.
    public var refreshTokenLifetime: Duration?

    /// A configuration with the defaults.
    public init() {}

    /// Reads or sets a member of ``client``.
    public subscript<Value>(dynamicMember member: WritableKeyPath<SandboxOpenIDClient, Value>) -> Value {
        get { client[keyPath: member] }
        set { client[keyPath: member] = newValue }
    }

    var clients: [SandboxOpenIDClient] { [client] + furtherClients }

    func client(id: String?) -> SandboxOpenIDClient? {
        id.flatMap { id in clients.first { $0.clientID.isIdentical(to: id) } }
    }

    var scopes: [String] {
        ["openid", "email", "profile", "phone"] + (issuesRefreshTokens ? ["offline_access"] : [])
    }

    func granted(_ wanted: [String]) -> [String] {
        wanted.filter { scope in scopes.contains { $0.isIdentical(to: scope) } }
    }

    var algorithms: [Algorithm] {
        let used = clients.map(\.algorithm) + clients.compactMap(\.userInfoAlgorithm)
        return Algorithm.allCases.filter { used.contains($0) }
    }
}
