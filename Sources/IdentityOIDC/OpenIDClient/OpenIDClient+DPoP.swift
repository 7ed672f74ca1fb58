internal import IdentityCrypto
internal import IdentityHTTP
internal import IdentityKit

extension OpenIDClient {
    func newDPoPKey(_ supported: [String]?) throws(IdentityError) -> DPoPKey? {
        guard configuration.usesDPoP else { return nil }
        if let supported, !supported.contains(DPoPKey.algorithm.rawValue) {
            throw IdentityError(
                unsupported: "The provider does not support ES256 for DPoP proofs, according to its metadata.",
                hint: "Set dpop (in Swift: usesDPoP) to false for this provider, or ask the provider to support ES256.",
                reference: "RFC 9449 section 5.1"
            )
        }
        return try DPoPKey()
    }

    /// Sends a POST request to the authorization server, with a DPoP proof if `key` is given.
    ///
    /// If the server requires a new nonce, the function sends the request once more. The repetition is safe: a server that requires a
    /// nonce has not executed the first request (RFC 9449 section 8), so a code or refresh token in the request is still valid.
    func withDPoPProof(
        _ key: DPoPKey?,
        to url: HTTPURL,
        _ send: ([(name: String, value: String)]) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        guard let key else { return try await send([]) }
        func attempt() async throws -> (response: HTTPResponse, isNonceNew: Bool) {
            let nonce = dpopNonces.nonce(for: .authorizationServer, at: url)
            let proof = try DPoPProof.make(key, .post, url, nonce: nonce, in: httpClient.environment)
            let response = try await send([("DPoP", proof)])
            let given = dpopNonces.save(response.headers, from: .authorizationServer, at: url)
            return (response, given.map { !$0.isIdentical(to: nonce ?? "") } ?? false)
        }
        let first = try await attempt()
        guard first.isNonceNew, first.response.status == 400 || first.response.status == 401,
            (try? JSONValue(parsing: first.response.body))?["error"]?.string == "use_dpop_nonce"
        else { return first.response }
        return try await attempt().response
    }
}
