package import IdentityHTTP

extension IdentityError {
    /// The error for a response with status 401 to a request with an access token.
    ///
    /// If the app itself sent the request (`isSentByApp`), the hints about DPoP also tell the app to make new headers.
    package static func refusal(
        in headers: HTTPHeaders,
        of server: String,
        hiding redacted: RequestSecrets,
        isSentByApp: Bool = false
    ) -> IdentityError {
        let challenges = AuthenticationChallenge.all(in: headers)
        let answer = AuthenticationChallenge.answer(challenges, status: 401, hiding: redacted)
        if challenges.contains(where: \.asksForStepUp) {
            let requirement = StepUpRequirement(challenges: headers.values(for: "WWW-Authenticate"))
            return IdentityError(
                .signInAgain,
                .insufficientUserAuthentication,
                "\(server) requires a stronger or more recent login.",
                hint: requirement == nil
                    ? "Ask the server's operator which login the server requires: the SDK cannot read the server's challenge. The "
                        + "session has not ended."
                    : "Pass stepUpRequirement of this error to beginStepUp(of:requiring:). The session has not ended.",
                reference: "RFC 9470 section 3",
                providerResponse: answer,
                cause: requirement.map { StepUpChallenge(requirement: $0) }
            )
        }
        let proofErrors = challenges.filter { $0.scheme == "dpop" }.compactMap { $0["error"] }
        if let error = proofErrors.first(where: { ["invalid_dpop_proof", "use_dpop_nonce"].contains($0) }) {
            let needsNonce = error == "use_dpop_nonce"
            return IdentityError(
                needsNonce ? .retryLater : .configuration,
                .dpopProofRefused,
                needsNonce ? "\(server) requires another DPoP nonce." : "\(server) rejected the DPoP proof.",
                hint: needsNonce
                    ? "Try again\(isSentByApp ? " with new headers" : ""). If this error repeats, tell the server's operator that the "
                        + "server sends no DPoP-Nonce or rejects its own nonces."
                    : "\(isSentByApp ? "Make new headers for each request, with its method and URL. " : "")Compare this machine's clock "
                        + "with the server's clock.",
                reference: "RFC 9449 section \(needsNonce ? "9" : "7.1")",
                providerResponse: answer
            )
        }
        return IdentityError(
            .retryLater,
            .accessTokenRefused,
            "\(server) rejected the access token.",
            hint: "Refresh the access token and try again. Without a refresh token, let the buyer sign in again.",
            reference: "RFC 6750 section 3.1",
            providerResponse: answer
        )
    }
}
