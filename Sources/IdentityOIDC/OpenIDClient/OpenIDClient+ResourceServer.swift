public import IdentityHTTP
public import IdentityKit

extension OpenIDClient {
    /// Sends a GET request with the session's access token, and once more if the resource server requires a new DPoP nonce.
    func get(_ url: HTTPURL, with tokens: TokenSet, asking party: String) async throws -> HTTPResponse {
        func attempt() async throws -> (response: HTTPResponse, asksForNonce: Bool) {
            let headers = try ProviderHTTPClient.headers(try accessTokenHeaders(tokens, for: .get, url))
            let response = try await httpClient.send(.get, url, headers: headers, asking: party)
            let asksForNonce = shouldRepeat(headers, answeredWith: response.status, response.headers, from: url)
            return (response, asksForNonce)
        }
        let first = try await attempt()
        return first.asksForNonce ? try await attempt().response : first.response
    }

    /// The headers that present an access token with one request to a resource server.
    ///
    /// For a bound token (RFC 9449 section 7.1), the headers contain a DPoP proof, which is valid for this method and URL only.
    ///
    /// - Throws: `IdentityError`; with code `system_failure` if the proof cannot be signed. Its kind is `configuration` in these cases: the
    ///   URL is neither https nor permitted loopback http; ``Configuration/resources`` is not empty and lacks the URL's origin; the key of
    ///   a bound token is missing or cannot be read; a header cannot contain the access token.
    public func authorizationHeaders(
        for method: HTTPMethod,
        _ url: HTTPURL,
        with tokens: TokenSet
    ) throws -> HTTPHeaders {
        guard url.isSecure(orLoopback: httpClient.allowsLoopbackHTTP) else {
            throw IdentityError(
                configuration: "The resource server's URL is not https, so no headers with the access token were made.",
                hint:
                    "Use the https URL of the resource server: with plain http, others on the network path can read the token. For "
                    + "tests on one machine, set allowsLoopbackHTTP to permit http to loopback addresses such as 127.0.0.1 and [::1].",
                reference: "RFC 6750 section 5.3"
            )
        }
        if !descriptor.resources.isEmpty { try descriptor.requireResource(url) }
        var headers = HTTPHeaders()
        for header in try accessTokenHeaders(tokens, for: method, url) {
            do { try headers.set(header.name, header.value) } catch { throw IdentityError.wrapping(error) }
        }
        return headers
    }

    /// The headers of a bound token with a proof (RFC 9449 section 7.1), or of a bearer token (RFC 6750 section 2.1).
    private func accessTokenHeaders(
        _ tokens: TokenSet,
        for method: HTTPMethod,
        _ url: HTTPURL
    ) throws -> [(name: String, value: String)] {
        guard TokenResponse.isBound(tokens.tokenType) else {
            return [("Authorization", "Bearer \(tokens.accessToken.reveal())")]
        }
        guard let storedKey = tokens.dpopKey else {
            throw IdentityError(
                .configuration,
                .storeCorrupt,
                "The DPoP key of the session's access token is missing.",
                hint:
                    "If the app stores the tokens itself, store dpopKey of TokenSet with them. Then let the buyer sign in again. The "
                    + "token was not sent.",
                reference: "RFC 9449 section 7.1"
            )
        }
        let proof = try DPoPProof.make(
            try DPoPKey(storedKey),
            method,
            url,
            nonce: dpopNonces.nonce(for: .resourceServer, at: url),
            accessToken: tokens.accessToken,
            in: httpClient.environment
        )
        return [("Authorization", "DPoP \(tokens.accessToken.reveal())"), ("DPoP", proof)]
    }

    /// Saves the DPoP nonce of a resource server's response, and says whether to send the request again.
    ///
    /// `sent` are the headers of ``authorizationHeaders(for:_:with:)`` that were sent, and `headers` are the headers of the response.
    ///
    /// - Returns: True if the server refused the request because of a missing or old nonce, and sent a new nonce (RFC 9449 section 9). With
    ///   the same nonce, the server would refuse a repetition again.
    public func shouldRepeat(
        _ sent: HTTPHeaders,
        answeredWith status: Int,
        _ headers: HTTPHeaders,
        from url: HTTPURL
    ) -> Bool {
        guard let given = dpopNonces.save(headers, from: .resourceServer, at: url),
            let proof = try? JSONWebToken(parsing: Secret(sent["DPoP"] ?? "")),
            !given.isIdentical(to: proof.claims["nonce"]?.string ?? "")
        else { return false }
        return status == 401
            && AuthenticationChallenge.all(in: headers).contains {
                $0.scheme == "dpop" && $0["error"] == "use_dpop_nonce"
            }
    }
}
