internal import IdentityCrypto
internal import IdentityHTTP
internal import IdentityKit

extension OpenIDClient {
    /// A new key for a login, where tokens are to be bound to one; nil where not.
    ///
    /// - Throws: `IdentityError` with code `unsupported_by_provider` when the metadata list algorithms, and not this one.
    func newDPoPKey(_ metadata: ProviderMetadata) throws(IdentityError) -> DPoPKey? {
        guard dialect.usesDPoP else { return nil }
        if let offered = metadata.dpopAlgorithms, !offered.contains(DPoPKey.algorithm.rawValue) {
            throw IdentityError(
                .configuration,
                .unsupportedByProvider,
                "The provider does not accept proofs of possession with ES256.",
                hint: "Set dpop to false for this provider, or ask it for ES256.",
                reference: "RFC 9449 section 5.1"
            )
        }
        return try DPoPKey()
    }

    /// Sends a request to the authorization server with a fresh proof, and once more where the server wants its nonce in it.
    ///
    /// A request that is refused for its nonce was not carried out (RFC 9449 section 8): a code or refresh token in it is not
    /// spent.
    ///
    /// - Parameters:
    ///   - key: The key to prove; nil sends no proof.
    ///   - url: Where the request goes, by POST.
    ///   - send: Sends the request with these headers beside its own.
    func proving(
        _ key: DPoPKey?,
        to url: HTTPURL,
        _ send: ([(name: String, value: String)]) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        guard let key else { return try await send([]) }
        func attempt() async throws -> (response: HTTPResponse, isNonceNew: Bool) {
            let nonce = dpopNonces.nonce(for: .authorizationServer, at: url)
            let proof = try DPoPProof.make(key, .post, url, nonce: nonce, in: httpClient.environment)
            let response = try await send([("DPoP", proof)])
            let given = dpopNonces.note(response.headers, of: .authorizationServer, at: url)
            return (response, given.map { !$0.isIdentical(to: nonce ?? "") } ?? false)
        }
        let first = try await attempt()
        guard first.isNonceNew, first.response.status == 400 || first.response.status == 401,
            (try? JSONValue(parsing: first.response.body))?["error"]?.string == "use_dpop_nonce"
        else { return first.response }
        return try await attempt().response
    }

    /// Asks a resource server with the session's access token, and once more where it wants its nonce in the proof.
    func ask(_ url: HTTPURL, with tokens: TokenSet, asking party: String) async throws -> HTTPResponse {
        func attempt() async throws -> (response: HTTPResponse, asksForNonce: Bool) {
            let presented = try ProviderHTTPClient.headers(try presentation(of: tokens, for: .get, url))
            let response = try await httpClient.send(.get, url, headers: presented, asking: party)
            return (response, asksForNonce(response.status, response.headers, from: url, requestedWith: presented))
        }
        let first = try await attempt()
        return first.asksForNonce ? try await attempt().response : first.response
    }

    /// The headers that present an access token with one request: a bound one with a proof (RFC 9449 section 7.1), another as
    /// bearer (RFC 6750 section 2.1).
    ///
    /// - Throws: `IdentityError` with code `store_corrupt` for a bound token without its key, which is never sent as bearer: whoever
    ///   took it on the way could try it, and the server would see a token that was stolen.
    func presentation(
        of tokens: TokenSet,
        for method: HTTPMethod,
        _ url: HTTPURL
    ) throws -> [(name: String, value: String)] {
        guard TokenResponse.isBound(tokens.tokenType) else {
            return [("Authorization", "Bearer \(tokens.accessToken.reveal())")]
        }
        guard let kept = tokens.dpopKey else {
            throw IdentityError(
                .configuration,
                .storeCorrupt,
                "The session's access token is bound to a key that is not there.",
                hint: "The token was not sent. Keep dpopKey with the tokens, or let the buyer sign in again.",
                reference: "RFC 9449 section 7.1"
            )
        }
        let proof = try DPoPProof.make(
            try DPoPKey(kept),
            method,
            url,
            nonce: dpopNonces.nonce(for: .resourceServer, at: url),
            accessToken: tokens.accessToken,
            in: httpClient.environment
        )
        return [("Authorization", "DPoP \(tokens.accessToken.reveal())"), ("DPoP", proof)]
    }

    /// Keeps the nonce of a resource server's answer.
    ///
    /// - Returns: Whether the answer refuses the request for its nonce alone, and brought one that the request's proof did not
    ///   hold (RFC 9449 section 9): the same nonce again would be refused again.
    func asksForNonce(
        _ status: Int,
        _ headers: HTTPHeaders,
        from url: HTTPURL,
        requestedWith sent: HTTPHeaders
    ) -> Bool {
        guard let given = dpopNonces.note(headers, of: .resourceServer, at: url),
            let proof = try? JSONWebToken(parsing: Secret(sent["DPoP"] ?? "")),
            !given.isIdentical(to: proof.payload["nonce"]?.string ?? "")
        else { return false }
        return status == 401
            && AuthenticationChallenge.all(in: headers).contains {
                $0.scheme == "dpop" && $0["error"] == "use_dpop_nonce"
            }
    }
}
