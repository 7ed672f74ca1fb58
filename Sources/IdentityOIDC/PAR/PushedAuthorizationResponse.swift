package import IdentityHTTP
package import IdentityKit

/// The response to a pushed authorization request (PAR, RFC 9126 section 2.2).
package enum PushedAuthorizationResponse: Sendable {
    /// The `request_uri` that refers to the request, for one login.
    case requestURI(Secret)
    case failure(TokenErrorResponse)

    package init(_ response: HTTPResponse, hiding redacted: RequestSecrets = RequestSecrets()) throws(IdentityError) {
        switch try TokenEndpointResponse(
            response,
            to: .authorizationCode,
            from: .pushedAuthorization,
            hiding: redacted
        ) {
        case .failure(let failure): self = .failure(failure)
        case .success(let object):
            guard response.status == 201 else { throw Self.invalid("has status \(response.status) instead of 201") }
            guard let reference = object["request_uri"]?.string, (1...4096).contains(reference.utf8.count),
                reference.utf8.allSatisfy(ASCII.isVisible)
            else { throw Self.invalid("is invalid: its member request_uri is missing or has an invalid value") }
            // RFC 9126 requires `expires_in`. The value has no maximum here, because the SDK does not use the value.
            guard let lifetime = TokenResponse.seconds(object["expires_in"]), lifetime > 0 else {
                throw Self.invalid("is invalid: its member expires_in is missing or has an invalid value")
            }
            self = .requestURI(Secret(reference))
        }
    }

    private static func invalid(_ problem: String) -> IdentityError {
        ProviderEndpoint.pushedAuthorization.unusable(
            problem,
            .unexpectedResponse,
            reference: "RFC 9126 section 2.2"
        )
    }
}

extension TokenErrorResponse {
    /// The error for a response to a pushed authorization request (RFC 9126 section 2.3); nil if ``standardError`` fits the response.
    package var pushedRequestError: IdentityError? {
        guard status >= 400, !isOutage else { return nil }
        switch error ?? "" {
        case "" where status == 413:
            return make(
                .configuration,
                .invalidRequest,
                "The authorization request is too large for the provider.",
                "Shorten scopes or authorizationParameters in the provider's configuration, or the options of the login."
            )
        case "invalid_request":
            return make(
                .configuration,
                .invalidRequest,
                "The provider rejected a parameter of the authorization request.",
                "Compare redirectURI, scopes, authorizationParameters and the options of the login with the client at the provider."
            )
        case let error where error == "access_denied" || AuthorizationErrorResponse.silentLoginErrors.contains(error):
            return AuthorizationErrorResponse.error(for: providerResponse, reference: endpoint.errorSection)
        default: return nil
        }
    }
}
