internal import IdentityHTTP
internal import IdentityKit

extension OpenIDClient {
    /// The error for an error response of an endpoint that authenticates clients; `sentProof` says whether a DPoP proof was sent.
    func refusal(
        _ failure: TokenErrorResponse,
        _ metadata: ProviderMetadata,
        sentProof: Bool = false
    ) -> IdentityError {
        // `clientRefusal` is called first, because some providers report a rejected client as 401 with invalid_request.
        if let error = clientRefusal(failure, metadata, sentProof: sentProof) { return error }
        let isPushed = failure.endpoint == .pushedAuthorization
        let error = (isPushed ? failure.pushedRequestError : nil) ?? quirks.error(for: failure)
        switch error.code {
        case .invalidRequest, .unexpectedResponse:
            return error.addingAdvice(clockHint(sentProof), dpopHint(failure, metadata))
        case .invalidGrant, .dpopProofRefused: return error.addingAdvice(dpopHint(failure, metadata))
        default: return error
        }
    }

    /// Hides the login's secrets in the error of an authorization response, and may add a hint about pushed authorization requests.
    func refusal(_ error: IdentityError, of attempt: LoginAttempt, _ metadata: ProviderMetadata?) -> IdentityError {
        let sent = [attempt.state, attempt.nonce, attempt.codeVerifier].compactMap(\.self)
        let error = error.hiding(RequestSecrets(secrets: sent))
        guard error.code == .authorizationRefused, error.providerResponse?.error == "invalid_request",
            metadata?.pushedAuthorizationRequestEndpoint != nil, !configuration.pushesAuthorizationRequest
        else { return error }
        return error.addingAdvice(
            "If the provider requires pushed authorization requests, set pushedAuthorization (kind openid; in Swift: "
                + "pushesAuthorizationRequest) to true."
        )
    }

    private func clockHint(_ sentProof: Bool) -> String? {
        let (check, authentication): (String?, String?) =
            switch configuration.authentication {
            case .none, .secretBasic, .secretPost: (nil, nil)
            case .signedSecretPost:
                ("Check the team's id, the client key and the key's id.", "a signed client secret with a time in it")
            case .privateKeyJWT: (nil, "a signed assertion with a time in it")
            }
        let timed = [authentication, sentProof ? "a DPoP proof with a time in it" : nil].compactMap(\.self)
        guard !timed.isEmpty else { return nil }
        let sent =
            "Compare this machine's clock with the provider's: the request had \(timed.joined(separator: ", and "))."
        return [check, sent].compactMap(\.self).joined(separator: " ")
    }

    /// A hint about DPoP, because the error response of a provider that requires DPoP may not mention DPoP.
    private func dpopHint(_ failure: TokenErrorResponse, _ metadata: ProviderMetadata) -> String? {
        guard !configuration.usesDPoP, metadata.dpopAlgorithms != nil, failure.grant != .refreshToken,
            failure.status >= 400, !failure.isOutage
        else { return nil }
        return
            "If the provider requires DPoP, set dpop (in Swift: usesDPoP) to true: its metadata announce support for DPoP."
    }

    /// The error if the provider rejected the client, with hints about the client authentication; nil for another error.
    func clientRefusal(
        _ failure: TokenErrorResponse,
        _ metadata: ProviderMetadata,
        sentProof: Bool = false
    ) -> IdentityError? {
        let error =
            isRefusedAssertion(failure)
            ? failure.make(
                .configuration,
                .invalidClient,
                "The provider probably does not know this client or rejected its assertion (HTTP \(failure.status)).",
                "Check clientID, clientKey, clientKeyID and clientKeyAlgorithm in the provider's configuration. \(failure.consequence)",
                reference: "RFC 7523 section 3.2"
            ) : quirks.error(for: failure)
        guard error.code == .invalidClient || error.code == .unauthorizedClient else { return nil }
        var hint = error.hint
        if case .signedSecretPost = configuration.authentication, hint == failure.invalidClient.hint {
            // The standard hint names members that a client with a signed secret does not have; `clockHint` names the key.
            hint = "Check clientID in the provider's configuration. \(failure.consequence)"
        }
        let hints = [methodHint(metadata), assertionHint, encodingHint, hint, clockHint(sentProof)].compactMap(\.self)
        return error.recast(hint: hints.joined(separator: " "))
    }

    // Providers report a rejected assertion as `invalid_client`, or with status 401 or 403, often without an error name or with HTML.
    private func isRefusedAssertion(_ failure: TokenErrorResponse) -> Bool {
        guard case .privateKeyJWT = configuration.authentication else { return false }
        if failure.error == "invalid_client" { return failure.status >= 400 && !failure.isOutage }
        let namesWithOtherCause = [
            "invalid_grant", "unsupported_grant_type", "invalid_scope", "invalid_dpop_proof", "use_dpop_nonce",
            "access_denied", "temporarily_unavailable", "server_error",
        ]
        if failure.error == "unauthorized_client" { return failure.status == 401 }
        return [401, 403].contains(failure.status)
            && !(namesWithOtherCause + AuthorizationErrorResponse.silentLoginErrors).contains(failure.error ?? "")
    }

    private func methodHint(_ metadata: ProviderMetadata) -> String? {
        let method = configuration.authentication.name
        guard settings.listsAuthenticationMethods, let supported = metadata.authenticationMethods,
            !supported.contains(method)
        else { return nil }
        return
            "Check clientAuthentication (kind openid) in the provider's configuration: the client authenticates with \(method), which "
            + "the provider's metadata do not list."
    }

    private var assertionHint: String? {
        guard case .privateKeyJWT(_, let audience) = configuration.authentication else { return nil }
        return switch audience {
        case .issuer:
            "If the provider requires its token endpoint as the audience of the assertion, set clientAssertionAudience to tokenEndpoint."
        // If each tenant has its own issuer, `OpenIDClient.init` refuses the audience `issuer`, so the hint must not suggest it.
        case .tokenEndpoint where settings.issuerTemplate != nil: nil
        case .tokenEndpoint:
            "If the provider requires its issuer as the audience of the assertion, remove clientAssertionAudience."
        }
    }

    private var encodingHint: String? {
        guard case .secretBasic(let secret, .formEncoded) = configuration.authentication,
            [descriptor.clientID, secret.reveal()].contains(where: { !FormEncoding.escape($0).isIdentical(to: $0) })
        else { return nil }
        return
            "If the provider does not decode form-encoded credentials, set clientAuthentication (kind openid) to "
            + "client_secret_basic_verbatim: form-encoding changes the client id or the secret."
    }
}

extension IdentityError {
    fileprivate func addingAdvice(_ advice: String?...) -> IdentityError {
        let advice = advice.compactMap(\.self)
        return advice.isEmpty ? self : recast(hint: ([hint].compactMap(\.self) + advice).joined(separator: " "))
    }
}
