package import IdentityHTTP
package import IdentityKit

/// The response of a revocation endpoint (RFC 7009 section 2.2).
package enum RevocationResponse: Sendable {
    /// The token is revoked, or the provider does not know the token: the response is the same.
    case revoked
    /// The provider does not revoke tokens of this type.
    case unsupportedType

    /// Reads a response.
    ///
    /// - Parameters:
    ///   - response: The HTTP response.
    ///   - redacted: The request's secrets, which no error may contain.
    ///   - clientRefusal: The error if the provider rejected the client; nil for another error.
    /// - Throws: `IdentityError` when the response does not confirm the revocation; the token may still be valid.
    package init(
        _ response: HTTPResponse,
        hiding redacted: RequestSecrets = RequestSecrets(),
        clientRefusal: (TokenErrorResponse) -> IdentityError? = { _ in nil }
    ) throws(IdentityError) {
        if response.status == 200 || response.status == 204 {
            self = .revoked
            return
        }
        let object = (try? JSONValue(parsing: response.body))?.object
        if response.status == 400, object?["error"]?.string == "unsupported_token_type" {
            self = .unsupportedType
            return
        }
        var failure = TokenErrorResponse(response, object, grant: .refreshToken, hiding: redacted)
        failure.endpoint = .revocation
        throw clientRefusal(failure) ?? failure.revocationError
    }
}

extension TokenErrorResponse {
    /// The error of a failed revocation: the token may still be valid.
    fileprivate var revocationError: IdentityError {
        let hint = "wait until the tokens expire, or revoke the tokens in the provider's administration."
        if isOutage {
            return make(
                .retryLater,
                .providerUnavailable,
                "The provider cannot revoke tokens at the moment (HTTP \(status)).",
                "If the app still has the tokens, try again later. Otherwise \(hint)"
            )
        }
        if error == "invalid_client" { return invalidClient }
        return make(
            .rejected,
            .unexpectedResponse,
            "The provider did not revoke a token (HTTP \(status)).",
            "Read providerResponse of this error. Check endpoints.revocation, or revocation_endpoint of the provider's metadata. If the "
                + "address is right, \(hint)"
        )
    }
}
