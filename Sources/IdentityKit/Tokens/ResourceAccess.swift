public import IdentityHTTP

/// A session's access token for one call of a resource server, from ``SessionManager/withAccessToken(of:validFor:perform:)``.
public struct ResourceAccess: Sendable {
    /// The session whose access token the call uses.
    public let session: Session
    /// The tokens of the session.
    public let tokens: TokenSet
    /// Whether a refresh has just returned the tokens, so that another refresh does not help if a server rejects the tokens.
    package let isJustRefreshed: Bool
    let provider: any IdentityProvider

    init(_ tokens: SessionTokens, at provider: any IdentityProvider) {
        session = tokens.session
        self.tokens = tokens.tokens
        isJustRefreshed = !tokens.isFromEarlierRefresh && ![.stored, .stillValid].contains(tokens.outcome)
        self.provider = provider
    }

    /// The headers that carry the access token in one request: `Authorization`, and `DPoP` for a DPoP-bound token.
    ///
    /// Make new headers for every request. Send the headers only to servers that the app's configuration names, never to an address from a
    /// request or response (RFC 9700 section 4.9.1). List the origins of these servers in ``ProviderDescriptor/resources``, so that the
    /// method refuses other URLs.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/unsupportedByProvider`` when the provider does not conform to
    ///   ``ResourceAuthorizing``. With code ``IdentityError/Code/configurationInvalid`` for a URL that is neither https nor a permitted
    ///   http URL with a loopback address. With the same code if the provider's ``ProviderDescriptor/resources`` lists other origins only.
    ///   Of kind ``IdentityError/Kind/configuration`` for a DPoP-bound token whose key is missing.
    public func headers(for method: HTTPMethod, _ url: HTTPURL) throws -> HTTPHeaders {
        if !provider.descriptor.resources.isEmpty { try provider.descriptor.requireResource(url) }
        guard let authorizing = provider as? any ResourceAuthorizing else {
            throw IdentityError(
                unsupported: """
                    The provider \(session.provider) cannot create the headers for a resource server, because it does not conform to \
                    ResourceAuthorizing.
                    """,
                hint:
                    "Set the request's Authorization header from tokens.accessToken, as the resource server's documentation says."
            )
        }
        return try authorizing.authorizationHeaders(for: method, url, with: tokens)
    }

    /// Checks whether a resource server rejected the access token; pass every response: a successful one may contain a new DPoP nonce.
    ///
    /// Do not catch the error in the closure of ``SessionManager/withAccessToken(of:validFor:perform:)``: that method performs the call
    /// once more if a refreshed token or the server's DPoP nonce can help.
    ///
    /// `sent` are the headers that ``headers(for:_:)`` made for the request, and `url` is the URL of the request.
    ///
    /// - Throws: ``IdentityError`` for a response with status 401, which means that the server did not execute the request
    ///   (RFC 6750 section 3.1): ``IdentityError/Code/accessTokenRefused``, ``IdentityError/Code/dpopProofRefused``, or
    ///   ``IdentityError/Code/insufficientUserAuthentication`` with ``IdentityError/stepUpRequirement``. If only the server's DPoP nonce
    ///   was missing, an internal error that is not an ``IdentityError``.
    public func check(
        status: Int,
        _ headers: HTTPHeaders,
        sent: HTTPHeaders,
        from url: HTTPURL
    ) throws {
        if let authorizing = provider as? any ResourceAuthorizing,
            authorizing.shouldRepeat(sent, answeredWith: status, headers, from: url)
        {
            throw NonceRequired()
        }
        guard status == 401 else { return }
        throw IdentityError.refusal(
            in: headers,
            of: "The resource server",
            hiding: RequestSecrets(secrets: [tokens.accessToken]),
            isSentByApp: true
        )
    }

    /// The buyer's identity for a cart, or `none`: see ``SessionManager/cartClaim(for:validFor:)``.
    ///
    /// - Throws: ``IdentityError`` of the provider.
    public func cartClaim() async throws -> CartClaim {
        guard let claiming = provider as? any CartClaimProviding else { return CartClaim.none }
        return try await claiming.cartClaim(for: tokens)
    }
}

/// A resource server rejected a request only because its DPoP proof lacked the server's nonce (RFC 9449 section 9).
struct NonceRequired: Error {}

extension ResourceAccess: Redacted {
    /// The provider's name; no token.
    public var description: String { "ResourceAccess(provider: \(session.provider), <redacted>)" }
}
