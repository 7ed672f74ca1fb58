package import IdentityHTTP

/// The name, client and settings of a provider, from its configuration.
public struct ProviderDescriptor: Sendable, Equatable {
    /// The name by which the app chooses the provider, unique in a ``ProviderRegistry``.
    public var name: String
    /// The kind of provider, for example `shopify`.
    public var kind: String
    /// The name that buyers read on a button, for example `Shopify`; by default ``name``.
    public var displayName: String
    /// The OAuth client identifier.
    public var clientID: String
    /// The redirect URI for logins, if one is configured.
    public var redirectURI: String?
    /// The registered address to which the provider sends the browser after a logout, if one is configured.
    public var postLogoutRedirectURI: String?
    /// The origins of the resource servers that accept this provider's access tokens, for example `https://api.example`.
    ///
    /// The SDK makes no headers with the access token for other origins (RFC 9700 section 4.9.1). The default, an empty list, permits every
    /// origin.
    public var resources: [String]
    /// The tenant to which the provider belongs, for example one of the app's shops; stored with every session.
    public var tenant: String
    /// A text to display, for example the client authentication method and the use of PKCE.
    public var clientType: String
    /// The response mode that logins request.
    public var responseMode: ResponseMode
    /// The time limit of one request to the provider; nil if the provider has no time limit.
    public var timeout: Duration?
    /// The issuers that count as the same issuer, for example the old and the new one after the provider's issuer has changed.
    public var equivalentIssuers: [String]

    /// The default time limit of one request to a provider of the SDK: 8 seconds.
    ///
    /// In PostgreSQL, a lock's default lease of 12 seconds guarantees the lock for 8 seconds, so a longer time limit is refused.
    public static let defaultTimeout = Duration.seconds(8)

    /// Creates a descriptor.
    public init(
        name: String,
        kind: String,
        displayName: String? = nil,
        clientID: String,
        redirectURI: String? = nil,
        postLogoutRedirectURI: String? = nil,
        resources: [String] = [],
        tenant: String = "",
        clientType: String = "",
        responseMode: ResponseMode = .query,
        timeout: Duration? = nil,
        equivalentIssuers: [String] = []
    ) {
        self.name = name
        self.kind = kind
        self.displayName = displayName ?? name
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.postLogoutRedirectURI = postLogoutRedirectURI
        self.resources = resources
        self.tenant = tenant
        self.clientType = clientType
        self.responseMode = responseMode
        self.timeout = timeout
        self.equivalentIssuers = equivalentIssuers
    }

    /// Checks that ``resources`` lists the origin of a URL; an empty list fails the check.
    package func requireResource(_ url: HTTPURL) throws(IdentityError) {
        guard resources.contains(where: { $0.isIdentical(to: url.origin) }) else {
            throw IdentityError(
                configuration:
                    "`resources` of provider \(name) does not list \(url.origin), so no access token is sent there.",
                hint: """
                    If the server may receive the buyer's access token, add \(url.origin) to providers.\(name).resources. Otherwise do not \
                    call this server with the access token. In a configuration file, only providers of kind openid have `resources`.
                    """,
                reference: "RFC 9700 section 4.9.1"
            )
        }
    }

    /// Whether two issuers are identical, or are both in ``equivalentIssuers``.
    package func isSameIssuer(_ issuer: String, as other: String) -> Bool {
        issuers(sameAs: issuer).contains { $0.isIdentical(to: other) }
    }

    package func isSamePerson(_ buyer: Buyer, as other: Buyer) -> Bool {
        buyer.subject.isIdentical(to: other.subject) && isSameIssuer(buyer.issuer, as: other.issuer)
    }

    /// The issuer as the first element and, if it is in ``equivalentIssuers``, the other issuers of this list.
    func issuers(sameAs issuer: String) -> [String] {
        guard equivalentIssuers.contains(where: { $0.isIdentical(to: issuer) }) else { return [issuer] }
        return equivalentIssuers.reduce(into: [issuer]) { found, other in
            if !found.contains(where: { $0.isIdentical(to: other) }) { found.append(other) }
        }
    }
}
