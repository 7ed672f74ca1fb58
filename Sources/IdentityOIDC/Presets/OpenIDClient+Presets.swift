internal import IdentityHTTP
internal import IdentityKit

/// Configurations for providers whose settings are known.
///
/// Each function returns an ordinary configuration: set `redirectURI`, and change what your client needs. For each provider,
/// `Documentation/Using/Presets.md` says how to register the client, and what was not tried with a real account.
///
/// ```swift
/// var configuration = OpenIDProvider.Configuration.google(name: "google", clientID: clientID)
/// configuration.authentication = .secretBasic(clientSecret)
/// configuration.redirectURI = "https://app.example/callback/google"
/// ```
extension OpenIDClient.Configuration {
    /// A configuration for Google accounts.
    public static func google(name: String, clientID: String) -> Self {
        Self(preset: name, issuer: "https://accounts.google.com", clientID: clientID, displayName: "Google")
    }

    /// A configuration for Sign in with Apple: the team's key signs the client secret, and the browser posts the authorization response.
    ///
    /// Apple sends the buyer's name only at the first login, through the browser. `Buyer.hasUnverifiedName` is then true.
    ///
    /// `clientID` is the Services ID or the app's bundle identifier. `teamID` is the team identifier, ten letters and digits. `key` is the
    /// team's P-256 key for Sign in with Apple, with its key id.
    public static func apple(name: String, clientID: String, teamID: String, key: ClientKey) -> Self {
        let issuer = "https://appleid.apple.com"
        var configuration = Self(preset: name, issuer: issuer, clientID: clientID, displayName: "Apple")
        configuration.authentication = .signedSecretPost(
            SignedClientSecret(key: key, issuer: teamID, audience: issuer)
        )
        configuration.scopes = ["openid", "email", "name"]
        configuration.responseMode = .formPost
        configuration.quirks = AppleQuirks()
        return configuration
    }

    /// A configuration for Microsoft accounts (Entra ID); `clientID` is the application (client) id.
    ///
    /// `directory` decides whose accounts may sign in, for example the accounts of one directory (tenant). `authority` is the origin of the
    /// login service; national clouds have other origins.
    public static func microsoft(
        name: String,
        clientID: String,
        directory: MicrosoftDirectory,
        authority: String = "https://login.microsoftonline.com"
    ) -> Self {
        let issuer = "\(authority)/\(directory.name)/v2.0"
        var configuration = Self(preset: name, issuer: issuer, clientID: clientID, displayName: "Microsoft")
        configuration.issuerMembers = ["authority", "directory"]
        configuration.scopes += ["offline_access"]
        if directory.hasManyIssuers {
            let template = TenantIssuerTemplate("\(authority)/\(TenantIssuerTemplate.placeholder)/v2.0")
            configuration.acceptedIssuers = template.policy
            configuration.quirks = MultiTenantQuirks(template: template)
        }
        return configuration
    }

    /// A configuration for an Auth0 tenant; `domain` is the tenant's domain or custom domain, for example `shop.eu.auth0.com`.
    public static func auth0(name: String, domain: String, clientID: String) -> Self {
        Self(preset: name, issuer: "https://\(domain)/", clientID: clientID, issuerMembers: ["domain"])
    }

    /// A configuration for an Okta authorization server; `domain` is the organization's domain, for example `shop.okta.com`.
    ///
    /// `authorizationServer` is the id of the custom authorization server; nil names the organization's own server.
    public static func okta(
        name: String,
        domain: String,
        authorizationServer: String? = "default",
        clientID: String
    ) -> Self {
        let path = authorizationServer.map { "/oauth2/\($0)" } ?? ""
        let members = ["domain", "authorizationServer"]
        return Self(preset: name, issuer: "https://\(domain)\(path)", clientID: clientID, issuerMembers: members)
    }

    /// A configuration for a Keycloak realm; `server` is the server's URL without `/realms`, for example `https://id.example`.
    public static func keycloak(name: String, server: String, realm: String, clientID: String) -> Self {
        let base = server.utf8.last == UInt8(ascii: "/") ? String(server.dropLast()) : server
        let members = ["server", "realm"]
        return Self(preset: name, issuer: "\(base)/realms/\(realm)", clientID: clientID, issuerMembers: members)
    }

    /// A configuration for Sign in with Shop, derived from public pages and example code; it was not tried with the real service.
    ///
    /// The buyer signs in with an account of the Shop app, not with a customer account of the store. So a cart cannot get a buyer's
    /// identity from this login.
    public static func shop(name: String, clientID: String) -> Self {
        let issuer = "https://accounts.shop.app"
        var configuration = Self(preset: name, issuer: issuer, clientID: clientID, displayName: "Shop")
        configuration.scopes = ["openid", "email"]
        // Metadata were found only at the address of RFC 8414, not at that of OpenID Connect Discovery.
        configuration.endpoints.discovery = try? HTTPURL("\(issuer)/.well-known/oauth-authorization-server")
        configuration.discovery.addressMember = "preset or endpoints.discovery"
        return configuration
    }

    private init(
        preset name: String,
        issuer: String,
        clientID: String,
        issuerMembers: [String] = ["preset"],
        displayName: String? = nil
    ) {
        self.init(name: name, issuer: issuer, clientID: clientID)
        self.issuerMembers = issuerMembers
        self.displayName = displayName
        scopes = ["openid", "email", "profile"]
    }
}
