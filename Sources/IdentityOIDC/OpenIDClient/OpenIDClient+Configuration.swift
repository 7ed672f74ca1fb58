public import IdentityHTTP
public import IdentityKit

extension OpenIDClient {
    /// The configuration of a client at an OpenID provider.
    ///
    /// ```swift
    /// var configuration = OpenIDClient.Configuration(name: "id", issuer: "https://id.example", clientID: "shop")
    /// configuration.authentication = .secretBasic(clientSecret)
    /// configuration.redirectURI = "https://app.example/callback/id"
    /// configuration.scopes = ["openid", "email"]
    /// ```
    public struct Configuration: Sendable {
        /// The name under which the app chooses the provider.
        public var name: String
        /// The kind of provider in the configuration file.
        public var kind = "openid"
        /// The issuer, from which discovery starts.
        public var issuer: String
        /// The members of the configuration file from which ``issuer`` comes; an error about an invalid issuer names the first member.
        package var issuerMembers = ["issuer"]
        /// The issuers that metadata and ID tokens may name; nil accepts ``issuer`` alone.
        public var acceptedIssuers: IssuerPolicy?
        /// The client identifier.
        public var clientID: String
        /// How the client authenticates at the provider.
        public var authentication: ClientAuthentication = .none
        /// The type of client that tools such as identity-lab display, for example "public web"; nil displays the authentication method.
        public var clientType: String?
        /// The redirect URI, as registered, or nil to send none; `LoginOptions.redirectURI` replaces this URI for one login.
        public var redirectURI: String?
        /// The address to which the provider sends the browser after a logout, as registered; by default the logout URL has none.
        public var postLogoutRedirectURI: String?
        /// The origins of the resource servers that accept the access tokens, for example `https://api.example`.
        ///
        /// ``OpenIDClient/authorizationHeaders(for:_:with:)`` throws an error for any other origin. The default, an empty list, permits
        /// every origin.
        public var resources: [String] = []
        /// The scopes to request; must contain `openid`.
        public var scopes: [String] = ["openid"]
        /// The signature algorithms to accept for ID tokens, logout tokens and signed UserInfo responses, by their JOSE names.
        ///
        /// With nil, the default, the client accepts the supported asymmetric algorithms of `id_token_signing_alg_values_supported` in the
        /// provider's metadata. If the metadata name no such algorithm, the client accepts only RS256. For UserInfo responses, the client
        /// also accepts the algorithms of `userinfo_signing_alg_values_supported`.
        public var algorithms: [String]?
        /// Audiences that ID tokens, logout tokens and signed UserInfo responses may name beside the client id; by default none.
        ///
        /// Some providers add the audience of an API to every token. The client refuses a token with any other audience, which was perhaps
        /// issued for another client, unless ``OpenIDQuirkSettings/allowsUntrustedAudiences`` is true (OpenID Connect Core section 3.1.3.7
        /// item 3).
        public var trustedAudiences: [String] = []
        /// The requested response mode of authorization responses; by default `query`: a redirect with the parameters in the URL.
        public var responseMode = ResponseMode.query
        /// Whether authorization requests are pushed (PAR, RFC 9126) even if the provider does not require PAR; by default no.
        public var pushesAuthorizationRequest = false
        /// Whether logins by device code use PKCE (RFC 7636), for providers that require PKCE from this client; by default no.
        ///
        /// RFC 8628 does not define PKCE: a provider that expects no `code_challenge` in a device authorization request may reject it.
        public var usesPKCEForDeviceLogin = false
        /// Whether tokens are bound to a key that is created for each login (DPoP, RFC 9449); by default no.
        public var usesDPoP = false
        /// Whether bearer tokens are accepted although ``usesDPoP`` requests tokens that are bound to a key; by default no.
        ///
        /// If false, a login with ``usesDPoP`` fails when the provider, or an attacker in its place, ignores the DPoP proof.
        public var acceptsUnboundTokens = false
        /// Endpoints that replace discovered ones.
        public var endpoints = Endpoints()
        /// How the metadata document is fetched.
        public var discovery = Discovery()
        /// Headers, such as an API key, for every token request, device authorization request and pushed authorization request.
        public var tokenRequestHeaders: [(name: String, value: Secret)] = []
        /// How long one request may take, by default 8 seconds; a store whose locks expire may require a shorter time.
        public var timeout = ProviderDescriptor.defaultTimeout
        /// Permits plain http to loopback addresses such as 127.0.0.1 and [::1], for tests on one machine.
        public var allowsLoopbackHTTP = false
        /// The default options of every login, for example `prompt`; a login's own options replace them.
        public var loginDefaults = LoginDefaults()
        /// Where the provider differs from the standards; nil for a provider that follows the standards.
        public var quirks: (any OpenIDQuirks)?
        /// The provider's name on the app's login button; by default ``name``.
        public var displayName: String?
        /// The tenant of the app (not of the provider) that this client serves, for example a shop; empty in an app without tenants.
        public var tenant = ""

        /// Creates a configuration from the required members.
        public init(name: String, issuer: String, clientID: String) {
            self.name = name
            self.issuer = issuer
            self.clientID = clientID
        }
    }

    /// How the metadata document is fetched (OpenID Connect Discovery 1.0 section 4).
    public struct Discovery: Sendable {
        /// Whether the document is fetched; if false, ``Configuration/endpoints`` are the whole metadata.
        public var isEnabled = true
        /// The maximum number of redirects that are followed when the document is fetched; by default 0.
        ///
        /// A redirect to plain http is not followed, except to loopback if ``Configuration/allowsLoopbackHTTP`` is true.
        public var allowedRedirects = 0
        /// The hosts that discovered endpoints may have, and to which the document's address may redirect; nil accepts any host.
        ///
        /// A redirect within the host of the document's address needs no entry in this list.
        public var allowedHosts: AllowedHosts?
        /// Headers to send to the origin of the document's address; after a redirect, also to ``allowedHosts``.
        public var headers: [(name: String, value: Secret)] = []
        /// The member of the provider's configuration from which the document's address comes, for errors.
        package var addressMember: String?
        /// Further advice about the document's address, for errors.
        package var addressAdvice: String?
        /// The endpoints to use when there is no document (404), with ``Configuration/issuer`` as issuer; nil makes the 404 an error.
        public var fallback: Endpoints?

        /// Creates the default settings: a document at the issuer, without redirects.
        public init() {}
    }

    /// Endpoints that replace discovered ones; a member that is nil replaces nothing.
    public struct Endpoints: Sendable {
        /// The address of the metadata document, if it is not the address that discovery derives from the issuer.
        public var discovery: HTTPURL?
        /// The authorization endpoint.
        public var authorization: HTTPURL?
        /// The token endpoint.
        public var token: HTTPURL?
        /// The key set.
        public var jwks: HTTPURL?
        /// The end-session endpoint.
        public var logout: HTTPURL?
        /// The UserInfo endpoint.
        public var userInfo: HTTPURL?
        /// The pushed authorization request endpoint (RFC 9126).
        public var pushedAuthorization: HTTPURL?
        /// The revocation endpoint (RFC 7009).
        public var revocation: HTTPURL?
        /// The device authorization endpoint (RFC 8628).
        public var deviceAuthorization: HTTPURL?

        /// Creates a value that replaces no endpoint.
        public init() {}

        func metadata(issuer: String) -> ProviderMetadata {
            var metadata = ProviderMetadata(issuer: issuer)
            metadata.authorizationEndpoint = authorization
            metadata.tokenEndpoint = token
            metadata.keySetURL = jwks
            metadata.endSessionEndpoint = logout
            metadata.userInfoEndpoint = userInfo
            metadata.pushedAuthorizationRequestEndpoint = pushedAuthorization
            metadata.revocationEndpoint = revocation
            metadata.deviceAuthorizationEndpoint = deviceAuthorization
            return metadata
        }
    }
}

extension OpenIDClient.Configuration {
    func checkTimeoutAndResources() throws(IdentityError) {
        guard timeout > .zero else {
            throw .invalidMember(
                "timeout",
                ofProvider: name,
                "must be greater than 0",
                hint:
                    "Set timeout to the longest time that one request may take, or remove timeout: the default is "
                    + "\(ProviderDescriptor.defaultTimeout.components.seconds) seconds."
            )
        }
        for origin in resources {
            guard let url = HTTPURL(serializedOrigin: origin), url.isSecure(orLoopback: allowsLoopbackHTTP) else {
                throw .invalidMember(
                    "resources",
                    ofProvider: name,
                    "contains a text that is not an https origin",
                    hint:
                        "Write each element of resources as an origin in lower case, such as https://api.example or "
                        + "https://api.example:8443. Omit port 443, the path and a trailing slash."
                )
            }
        }
    }
}
