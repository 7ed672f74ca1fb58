public import IdentityHTTP
public import IdentityKit

extension OpenIDProvider: ResourceAuthorizing {
    /// The headers that present a session's access token with one request to a resource server.
    ///
    /// Bound tokens (DPoP, RFC 9449 section 7.1) come with a proof that is good for this method and URL only.
    ///
    /// - Throws: `IdentityError` of kind configuration for a URL that is not https, and for a bound token whose key is missing.
    public func authorizationHeaders(
        for method: HTTPMethod,
        _ url: HTTPURL,
        with tokens: TokenSet
    ) throws -> HTTPHeaders {
        guard url.isSecure || (client.httpClient.allowsLoopbackHTTP && url.isLoopback) else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "An access token goes to https URLs only.",
                hint: "Whoever reads it on the way could use it.",
                reference: "RFC 6750 section 5.3"
            )
        }
        var headers = HTTPHeaders()
        for header in try client.presentation(of: tokens, for: method, url) {
            try headers.set(header.name, header.value)
        }
        return headers
    }

    /// Hears what a resource server answered, and whether to send the same request once more with new headers.
    public func shouldRepeat(
        _ sent: HTTPHeaders,
        answeredWith status: Int,
        _ headers: HTTPHeaders,
        from url: HTTPURL
    ) -> Bool {
        client.asksForNonce(status, headers, from: url, requestedWith: sent)
    }
}
