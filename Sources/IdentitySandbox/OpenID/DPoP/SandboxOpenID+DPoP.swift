internal import IdentityKit
internal import Synchronization

extension SandboxOpenID {
    /// Invalidates all DPoP nonces issued so far: a proof with an invalidated nonce gets `use_dpop_nonce`.
    public func expireDPoPNonces() { state.withLock { $0.nonces.expire() } }

    /// Verifies the DPoP proof of a request, and returns the thumbprint of the proof's key; nil if DPoP is off.
    ///
    /// Without a proof, the result is also nil, unless `isRequired` is true.
    func provenKey(
        _ request: SandboxRequest,
        isRequired: Bool,
        accessToken: String? = nil
    ) throws(OAuthRefusal) -> String? {
        guard configuration.dpop != .off else { return nil }
        let (now, url) = (clock.now, issuer + request.path)
        return try state.withLock { state throws(OAuthRefusal) in
            let proof: DPoPCheck.Proof?
            do throws(TokenFlaw) {
                let check = DPoPCheck(algorithms: configuration.clientSigningAlgorithms)
                proof = try check.proof(of: request, to: url, accessToken: accessToken, &state.usedProofs, at: now)
            } catch { throw OAuthRefusal("invalid_dpop_proof", "The server rejected the DPoP proof: \(error.reason).") }
            guard let proof else {
                guard !isRequired else { throw OAuthRefusal("invalid_dpop_proof", "The DPoP proof is missing.") }
                return nil
            }
            guard state.nonces.take(proof.nonce) else {
                let nonce = state.nonces.next().map { [(name: "DPoP-Nonce", value: $0)] } ?? []
                let problem = proof.nonce == nil ? "needs a nonce" : "has an unknown or expired nonce"
                throw OAuthRefusal("use_dpop_nonce", "The DPoP proof \(problem).", headers: nonce, isViolation: false)
            }
            return proof.thumbprint
        }
    }

    /// Adds the nonce for the client's next proof to a response, if nonces rotate (RFC 9449 section 8.2).
    func withFreshNonce(_ response: SandboxResponse) -> SandboxResponse {
        guard configuration.dpop != .off, configuration.dpopNonce == .rotating,
            !response.headers.contains(where: { $0.name == "DPoP-Nonce" }),
            let nonce = state.withLock({ $0.nonces.next() })
        else { return response }
        return response.with("DPoP-Nonce", nonce)
    }
}
