internal import IdentityKit

extension OpenIDClient {
    /// What a failure of an endpoint that authenticates its clients means.
    func refusal(_ failure: TokenFailure, _ metadata: ProviderMetadata) -> IdentityError {
        clientRefusal(failure, metadata) ?? dialect.classify(failure)
    }

    /// What the failure says about the client, with what may be wrong about its authentication; nil for another failure.
    func clientRefusal(_ failure: TokenFailure, _ metadata: ProviderMetadata) -> IdentityError? {
        let error = isRefusedAssertion(failure) ? failure.refusedAssertion : dialect.classify(failure)
        guard error.code == .invalidClient || error.code == .unauthorizedClient else { return nil }
        let advice = [advice(onMethodsOf: metadata), adviceOnAssertion, adviceOnEncoding].compactMap(\.self)
        return IdentityError(
            error.kind,
            error.code,
            error.message,
            hint: (advice + [error.hint].compactMap(\.self)).joined(separator: " "),
            reference: error.reference,
            retryAfter: error.retryAfter,
            providerAnswer: error.providerAnswer,
            cause: error.cause
        )
    }

    /// Whether the provider refused the client's assertion.
    ///
    /// Providers answer 401 or 403 then, often without a name, or with a page. Names that tell something else keep their meaning.
    private func isRefusedAssertion(_ failure: TokenFailure) -> Bool {
        guard case .privateKeyJWT = authentication else { return false }
        if failure.error == "invalid_client" { return (400..<500).contains(failure.status) && failure.status != 429 }
        let others = [
            "unauthorized_client", "invalid_grant", "unsupported_grant_type", "invalid_scope", "invalid_dpop_proof",
            "use_dpop_nonce", "access_denied", "login_required", "interaction_required", "consent_required",
            "account_selection_required", "temporarily_unavailable", "server_error",
        ]
        return [401, 403].contains(failure.status) && !others.contains(failure.error ?? "")
    }

    private func advice(onMethodsOf metadata: ProviderMetadata) -> String? {
        guard dialect.listsAuthenticationMethods, let offered = metadata.authenticationMethods,
            !offered.contains(authentication.name)
        else { return nil }
        return "The client authenticates with \(authentication.name), which the provider's metadata do not list."
    }

    private var adviceOnAssertion: String? {
        guard case .privateKeyJWT(_, let audience) = authentication else { return nil }
        return switch audience {
        case .issuer:
            "The assertion's audience is the issuer; if the provider requires its token endpoint, set "
                + "clientAssertionAudience to tokenEndpoint."
        case .tokenEndpoint:
            "The assertion's audience is the token endpoint; if the provider requires its issuer, leave "
                + "clientAssertionAudience out."
        }
    }

    /// Some providers do not decode the credentials as RFC 6749 section 2.3.1 demands.
    private var adviceOnEncoding: String? {
        guard case .secretBasic(let secret, .formEncoded) = authentication,
            [descriptor.clientID, secret.reveal()].contains(where: { !FormEncoding.escape($0).isIdentical(to: $0) })
        else { return nil }
        return
            "The client id or the secret has characters that form-encoding changes; if the provider does not decode them, "
            + "set clientAuthentication to client_secret_basic_verbatim."
    }
}

extension TokenFailure {
    fileprivate var refusedAssertion: IdentityError {
        make(
            .configuration,
            .invalidClient,
            "The provider does not know this client or refuses its assertion (HTTP \(status)).",
            "Check clientID, clientKey, clientKeyID, clientKeyAlgorithm and this machine's clock. Sessions are kept.",
            reference: "RFC 7523 section 3.2"
        )
    }
}
