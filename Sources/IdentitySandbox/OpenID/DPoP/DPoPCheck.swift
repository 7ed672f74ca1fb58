internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

/// Verifies DPoP proofs (RFC 9449 section 4.3); the callers check the nonce, and whether the access token is bound to the proof's key.
struct DPoPCheck: Sendable {
    struct Proof: Sendable {
        let thumbprint: String
        let nonce: String?
    }

    let algorithms: [String]
    private static let longestAge: TimeInterval = 60
    /// How far a proof's `iat` may be in the future, because the client's clock may be ahead.
    private static let largestLead: TimeInterval = 10

    /// Verifies the DPoP proof of a request; returns nil if the request has no proof.
    ///
    /// The proof's `htu` must be `url`, and its `ath` the hash of `accessToken`; `ath` is ignored if `accessToken` is nil.
    func proof(
        of request: SandboxRequest,
        to url: String,
        accessToken: String?,
        _ usedIDs: inout UsedIDs,
        at now: Date
    ) throws(TokenFlaw) -> Proof? {
        let headers = request.headers.filter { $0.name.lowercased() == "dpop" }
        guard let header = headers.first else { return nil }
        guard headers.count == 1 else { throw TokenFlaw("the DPoP header occurs more than once") }
        let token = try ClientToken(header.value)
        guard token.header["typ"]?.string.map({ $0.isIdentical(to: "dpop+jwt") }) ?? false else {
            throw TokenFlaw("its typ is not dpop+jwt")
        }
        let algorithm = try token.algorithm(among: algorithms)
        guard let jwk = token.header["jwk"]?.object else { throw TokenFlaw("its header has no jwk") }
        let key = try ClientKey(jwk: jwk)
        try token.verify(with: key, algorithm)
        try checkClaims(token, request, url, accessToken, now)
        let expiry = now + Self.longestAge + Self.largestLead
        guard usedIDs.take(try token.text("jti"), until: expiry, now: now) else {
            throw TokenFlaw("its jti was used before")
        }
        return Proof(thumbprint: key.thumbprint, nonce: token.claims["nonce"]?.string)
    }

    private func checkClaims(
        _ token: ClientToken,
        _ request: SandboxRequest,
        _ url: String,
        _ accessToken: String?,
        _ now: Date
    ) throws(TokenFlaw) {
        guard try token.text("htm").isIdentical(to: request.method) else {
            throw TokenFlaw("its htm is not \(request.method)")
        }
        guard try token.text("htu").isIdentical(to: url) else { throw TokenFlaw("its htu is not \(url)") }
        guard let issued = try token.time("iat") else { throw TokenFlaw("its iat is missing") }
        guard issued >= now - Self.longestAge, issued <= now + Self.largestLead else {
            let age = Int(clamping: Int64(now.timeIntervalSince(issued)))
            throw TokenFlaw("its iat is \(age.magnitude) seconds \(age < 0 ? "in the future" : "old")")
        }
        if let nonce = token.claims["nonce"], nonce.string == nil { throw TokenFlaw("its nonce is not a string") }
        guard let accessToken else { return }
        guard let digest = try? Digest.sha256(Array(accessToken.utf8)),
            try token.text("ath").isIdentical(to: Base64URL.encode(digest))
        else { throw TokenFlaw("its ath is not the hash of the access token") }
    }
}
