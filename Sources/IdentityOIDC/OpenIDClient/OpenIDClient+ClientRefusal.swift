internal import IdentityHTTP
internal import IdentityKit

extension OpenIDClient {
    /// What an error response of an endpoint that authenticates clients means.
    func refusal(_ failure: TokenErrorResponse, _ metadata: ProviderMetadata) -> IdentityError {
        clientRefusal(failure, metadata) ?? quirks.error(for: failure)
    }

    /// The error if the provider refused the client, with hints about its authentication; nil for another error.
    func clientRefusal(_ failure: TokenErrorResponse, _ metadata: ProviderMetadata) -> IdentityError? {
        let error = isRefusedAssertion(failure) ? failure.refusedAssertion : quirks.error(for: failure)
        guard error.code == .invalidClient || error.code == .unauthorizedClient else { return nil }
        let hints = [methodHint(metadata), assertionHint, encodingHint, error.hint].compactMap(\.self)
        return IdentityError(
            error.kind,
            error.code,
            error.message,
            hint: hints.joined(separator: " "),
            reference: error.reference,
            retryAfter: error.retryAfter,
            providerAnswer: error.providerAnswer,
            cause: error.cause
        )
    }

    /// Whether the provider refused the client's assertion.
    ///
    /// Providers then answer 401 or 403, often without an error name, or with a page. Other error names keep their meaning.
    private func isRefusedAssertion(_ failure: TokenErrorResponse) -> Bool {
        guard case .privateKeyJWT = configuration.authentication else { return false }
        if failure.error == "invalid_client" { return (400..<500).contains(failure.status) && failure.status != 429 }
        let others = [
            "unauthorized_client", "invalid_grant", "unsupported_grant_type", "invalid_scope", "invalid_dpop_proof",
            "use_dpop_nonce", "access_denied", "login_required", "interaction_required", "consent_required",
            "account_selection_required", "temporarily_unavailable", "server_error",
        ]
        return [401, 403].contains(failure.status) && !others.contains(failure.error ?? "")
    }

    private func methodHint(_ metadata: ProviderMetadata) -> String? {
        let method = configuration.authentication.name
        guard settings.listsAuthenticationMethods, let supported = metadata.authenticationMethods,
            !supported.contains(method)
        else { return nil }
        return "The client authenticates with \(method), which the provider's metadata do not list."
    }

    private var assertionHint: String? {
        guard case .privateKeyJWT(_, let audience) = configuration.authentication else { return nil }
        return switch audience {
        case .issuer:
            "The assertion's audience is the issuer; if the provider requires its token endpoint, set "
                + "clientAssertionAudience to tokenEndpoint."
        case .tokenEndpoint:
            "The assertion's audience is the token endpoint; if the provider requires its issuer, leave "
                + "clientAssertionAudience out."
        }
    }

    /// Some providers do not decode the credentials as RFC 6749 section 2.3.1 requires.
    private var encodingHint: String? {
        guard case .secretBasic(let secret, .formEncoded) = configuration.authentication,
            [descriptor.clientID, secret.reveal()].contains(where: { !FormEncoding.escape($0).isIdentical(to: $0) })
        else { return nil }
        return
            "The client id or the secret has characters that form-encoding changes; if the provider does not decode them, "
            + "set clientAuthentication to client_secret_basic_verbatim."
    }
}

extension TokenErrorResponse {
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
